"""Views of saved documents, and the renderers that show them. The only place that rounds numbers."""

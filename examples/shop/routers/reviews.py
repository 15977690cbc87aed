"""What customers say of one product."""

from typing import Annotated

from fastapi import APIRouter, Path

from ..dependencies import StoreDep
from ..models import Review, ReviewDraft
from ..seed import OPENING

router = APIRouter()
ProductId = Annotated[int, Path(examples=[7])]


@router.get("")
async def list_reviews(product_id: ProductId, store: StoreDep):
    return store.reviews.get(product_id, [])


@router.get("/latest")
async def latest_reviews(product_id: ProductId, store: StoreDep) -> list[Review]:
    written = store.reviews.get(product_id, [])
    return sorted(written, key=lambda review: review.written_at, reverse=True)[:5]


@router.get("/summary")
def review_summary(product_id: ProductId, store: StoreDep):
    stars = [review.stars for review in store.reviews.get(product_id, [])]
    return {"count": len(stars), "average": round(sum(stars) / len(stars), 2) if stars else None}


@router.post("", status_code=201)
async def add_review(product_id: ProductId, draft: ReviewDraft, store: StoreDep) -> Review:
    written = store.reviews.setdefault(product_id, [])
    number = 1 + max((review.id for reviews in store.reviews.values() for review in reviews), default=0)
    review = Review(id=number, product_id=product_id, written_at=OPENING, **draft.model_dump())
    written.append(review)
    return review

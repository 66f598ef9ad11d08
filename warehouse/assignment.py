"""The best pairing of two sides, and where another pairing would be just as good."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

Gains = Mapping[tuple[int, int], float]

LARGEST = 160
"""Nodes of both sides beyond which one group of candidates is not solved: the work grows with the third power."""

_NEVER = 1e6
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Assignment:
    """`pairs` of (left, right) with the greatest sum of gains, and groups that could be paired otherwise.

    A group holds the left and right members that can change partners at a loss of no more than the margin.
    Its members may stand in `pairs` as well: what to do with them is the caller's to say.
    """

    pairs: tuple[tuple[int, int], ...]
    groups: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = ()


def assign(gains: Gains, margin: float) -> Assignment:
    """Pairs each side's members at most once, for the greatest sum of gains, which are all above zero.

    `margin`: by how much another pairing may be worse and still count as equally good. The result does not
    depend on the order of `gains`. A group of candidates larger than LARGEST raises ValueError.
    """
    pairs: list[tuple[int, int]] = []
    groups: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
    for lefts, rights in components(gains):
        if len(lefts) + len(rights) > LARGEST:
            raise ValueError(f"{len(lefts)} and {len(rights)} candidates in one group are too many to pair")
        found, unclear = _solve(gains, lefts, rights, margin)
        pairs += found
        groups += unclear
    return Assignment(pairs=tuple(sorted(pairs)), groups=tuple(sorted(groups)))


def components(gains: Gains) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The groups of left and right members between which there is any candidate, each in order."""
    of_left: dict[int, list[int]] = defaultdict(list)
    of_right: dict[int, list[int]] = defaultdict(list)
    for left, right in gains:
        of_left[left].append(right)
        of_right[right].append(left)
    met: set[int] = set()
    for start in sorted(of_left):
        if start in met:
            continue
        met.add(start)
        waiting, rights = [start], set[int]()
        lefts = [start]
        while waiting:
            for right in of_left[waiting.pop()]:
                if right not in rights:
                    rights.add(right)
                    fresh = [left for left in of_right[right] if left not in met]
                    met.update(fresh)
                    waiting += fresh
                    lefts += fresh
        yield tuple(sorted(lefts)), tuple(sorted(rights))


def _solve(
    gains: Gains, lefts: Sequence[int], rights: Sequence[int], margin: float
) -> tuple[list[tuple[int, int]], list[tuple[tuple[int, ...], tuple[int, ...]]]]:
    """A square problem: each left may stay alone in a column of its own, each right in a row of its own."""
    size = len(lefts) + len(rights)
    cost = [[_NEVER] * size for _ in range(size)]
    for i, left in enumerate(lefts):
        for j, right in enumerate(rights):
            if (left, right) in gains:
                cost[i][j] = -gains[left, right]
        cost[i][len(rights) :] = [0.0] * len(lefts)
    for j in range(len(rights)):
        row = cost[len(lefts) + j]
        row[j] = 0.0
        row[len(rights) :] = [0.0] * len(lefts)
    column_of, row_price, column_price = _hungarian(cost)
    pairs = [(left, rights[column_of[i]]) for i, left in enumerate(lefts) if column_of[i] < len(rights)]
    takers = [
        [
            other
            for other in range(size)
            if other != row
            and cost[row][column_of[other]] - row_price[row] - column_price[column_of[other]]
            <= margin + _ROUNDING
        ]
        for row in range(size)
    ]
    groups = []
    for rows in _circles(takers):
        some_lefts = tuple(sorted(lefts[row] for row in rows if row < len(lefts)))
        some_rights = tuple(sorted(rights[column_of[r]] for r in rows if column_of[r] < len(rights)))
        if some_lefts and some_rights and len(some_lefts) + len(some_rights) > 2:
            groups.append((some_lefts, some_rights))
    return pairs, groups


def _hungarian(cost: Sequence[Sequence[float]]) -> tuple[list[int], list[float], list[float]]:
    """Each row's column at the least total cost, and the prices of rows and columns that prove it.

    No cell costs less than its row's and its column's price together; those taken cost exactly that.
    """
    size = len(cost)
    row_price, column_price = [0.0] * (size + 1), [0.0] * (size + 1)
    row_at, came_from = [0] * (size + 1), [0] * (size + 1)
    for row in range(1, size + 1):
        row_at[0] = row
        column = 0
        slack, done = [float("inf")] * (size + 1), [False] * (size + 1)
        while row_at[column]:
            done[column] = True
            here, least, following = row_at[column], float("inf"), 0
            costs, price = cost[here - 1], row_price[here]
            for j in range(1, size + 1):
                if not done[j]:
                    reduced = costs[j - 1] - price - column_price[j]
                    if reduced < slack[j]:
                        slack[j], came_from[j] = reduced, column
                    if slack[j] < least:
                        least, following = slack[j], j
            for j in range(size + 1):
                if done[j]:
                    row_price[row_at[j]] += least
                    column_price[j] -= least
                else:
                    slack[j] -= least
            column = following
        while column:
            before = came_from[column]
            row_at[column] = row_at[before]
            column = before
    column_of = [0] * size
    for j in range(1, size + 1):
        column_of[row_at[j] - 1] = j - 1
    return column_of, row_price[1:], column_price[1:]


def _circles(edges: Sequence[Sequence[int]]) -> list[list[int]]:
    """The sets of two or more nodes that reach each other along the edges (Tarjan, without recursion)."""
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: list[list[int]] = []
    for start in range(len(edges)):
        if start in number:
            continue
        work = [(start, iter(edges[start]))]
        number[start] = low[start] = len(number)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, following = work[-1]
            fresh = next((other for other in following if other not in number or other in on_stack), None)
            if fresh is not None and fresh in number:
                low[node] = min(low[node], number[fresh])
            elif fresh is not None:
                number[fresh] = low[fresh] = len(number)
                stack.append(fresh)
                on_stack.add(fresh)
                work.append((fresh, iter(edges[fresh])))
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    circle = []
                    while True:
                        other = stack.pop()
                        on_stack.discard(other)
                        circle.append(other)
                        if other == node:
                            break
                    if len(circle) > 1:
                        found.append(circle)
    return found

import type { DayReview, OpenPoint, PlacedPoint, ReadBy, ReadByModel, ReadPoint } from "../../views/day-review.ts";
import type { AnswerRows } from "../../views/rows.ts";
import type { Zone } from "../../base/time/zone.ts";
import { order } from "../../base/text/order.ts";
import { within } from "../../base/time/range.ts";
import { keyOfSession } from "../../record/session-key.ts";
import { citeLine } from "./citations.ts";
import { projectNaming } from "./groups.ts";
import { lookBack } from "./span-loose-ends.ts";
import { rangeOf, type Span } from "./window.ts";

/** Where a span is looked at from. */
interface Frame {
  rows: AnswerRows;
  span: Span;
  zone: Zone;
}

/**
 * What was read in the days of a span, and what is still open from before; null where no day that matters was read.
 * Points of turns that are not asked for, or no longer there, are left out.
 */
export function readByModel(reviews: readonly DayReview[], frame: Frame): ReadByModel | null {
  const { span, zone } = frame;
  const range = rangeOf(span);
  const before = { start: lookBack(span, zone), end: Date.parse(span.start) };
  const known = reviews.filter(({ day }) => zone.startOfDay(day) < Date.parse(span.end));
  const inSpan = known.filter(({ day }) => day >= span.since);
  const place = placing(frame);
  const closed = new Set(known.flatMap((one) => one.closed.flatMap(({ closes }) => closes.id ?? [])));
  const stillOpen = (from: { start: number; end: number | null }): PlacedPoint<OpenPoint>[] =>
    known.flatMap((one) =>
      place(
        one,
        one.opened.filter(({ id, time }) => !closed.has(id) && within(from, Date.parse(time))),
      ),
    );
  const carried = stillOpen(before);
  if (inSpan.length === 0 && carried.length === 0) return null;
  return {
    by: inSpan.map(readBy),
    opened: stillOpen({ start: range.start ?? -Infinity, end: range.end }),
    carried,
    closed: inSpan.flatMap((one) => place(one, one.closed)),
    results: inSpan.flatMap((one) => place(one, one.results)),
    decisions: inSpan.flatMap((one) => place(one, one.decided)),
  };
}

export function readBy(review: DayReview): ReadBy {
  const { day, timezone, model, time, requests, input_tokens, output_tokens, estimated, cost_usd } = review;
  return { day, timezone, model, time, requests, input_tokens, output_tokens, estimated, cost_usd };
}

/** Adds what depends on when it is asked: projects may be renamed. */
function placing({ rows, zone }: Frame) {
  const nameOf = projectNaming(rows.namings());
  return <Point extends ReadPoint>({ model }: DayReview, points: readonly Point[]): PlacedPoint<Point>[] =>
    points
      .flatMap((point): PlacedPoint<Point>[] => {
        const key = keyOfSession(point.source, point.session_id);
        const session = rows.isRequested(key) && rows.turn(key, point.turn_ref) ? rows.session(key) : null;
        if (!session) return [];
        const citation = citeLine(rows.shortId(key), point.turn_ref, null);
        return [{ ...point, citation, project: nameOf(session), day: zone.day(Date.parse(point.time)), model }];
      })
      .toSorted((a, b) => order(a.time, b.time) || order(a.id, b.id));
}

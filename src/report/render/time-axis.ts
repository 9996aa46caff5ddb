import type { Zone } from "../../time/zone.ts";
import { shortDay, weekday } from "./phrases.ts";

const MINUTE = 60_000;
/** Idle time after which the axis is folded. */
const IDLE = 25 * MINUTE;
/** The same for a span of several days, where nights are folded. */
const IDLE_OF_DAYS = 180 * MINUTE;
/** Padding on both sides of a stretch of work. */
const AIR = 5 * MINUTE;
/** Percent of the width: that of a fold, and the minimum for a stretch of work. */
const FOLD = 1.4;
const LEAST = 4;
/** Minimum distance between two labels, in percent. */
const APART = 4.8;
const STEPS = [5, 10, 15, 30, 60, 120, 180, 240, 360, 720].map((minutes) => minutes * MINUTE);

export interface Stretch {
  start: number;
  end: number;
}

export interface Tick {
  /** Percent of the width. */
  at: number;
  label: string;
}

/** Maps times to positions on a line. Idle hours take little of it, so that busy ones can be read. */
export interface TimeAxis {
  at: (time: number) => number;
  ticks: Tick[];
  /** Positions of the folds, in percent. */
  folds: number[];
}

export function timeAxis(busy: readonly Stretch[], zone: Zone, isOneDay: boolean): TimeAxis {
  const stretches = joined(busy, isOneDay ? IDLE : IDLE_OF_DAYS);
  const room = 100 - FOLD * (stretches.length - 1);
  const least = Math.min(LEAST, room / stretches.length);
  const whole = stretches.reduce((sum, { start, end }) => sum + end - start, 0);
  // Stretches that get the minimum leave the rest to the others.
  const small = stretches.filter(({ start, end }) => ((end - start) / whole) * room < least);
  const rest = whole - small.reduce((sum, { start, end }) => sum + end - start, 0);
  const scale = rest === 0 ? 0 : (room - small.length * least) / rest;
  let x = 0;
  const placed = stretches.map((stretch) => {
    const width = small.includes(stretch) ? least : (stretch.end - stretch.start) * scale;
    const here = { ...stretch, x, width };
    x += width + FOLD;
    return here;
  });
  const at = (time: number): number => {
    const inside = placed.findLast(({ start }) => start <= time) ?? placed[0];
    if (!inside) return 0;
    const share = (Math.min(time, inside.end) - inside.start) / (inside.end - inside.start);
    return inside.x + Math.max(0, share) * inside.width;
  };
  return { at, ticks: ticksOf(placed, zone, isOneDay), folds: placed.slice(1).map((one) => one.x - FOLD / 2) };
}

interface Placed extends Stretch {
  x: number;
  width: number;
}

/** Merges stretches of work that are close together, pads them and aligns them to five minutes. */
function joined(busy: readonly Stretch[], idle: number): Stretch[] {
  const out: Stretch[] = [];
  for (const { start, end } of busy.toSorted((a, b) => a.start - b.start)) {
    const last = out.at(-1);
    if (last && start - last.end < idle) last.end = Math.max(last.end, end);
    else out.push({ start, end });
  }
  return out.map(({ start, end }) => ({
    start: Math.floor(start / AIR) * AIR,
    end: Math.ceil((end + AIR / 2) / AIR) * AIR,
  }));
}

/**
 * Ticks at the start of each stretch and at as many round times as fit. For several days, only where a new day begins.
 */
function ticksOf(placed: readonly Placed[], zone: Zone, isOneDay: boolean): Tick[] {
  const ticks: Tick[] = [];
  let day = "";
  for (const { start, end, x, width } of placed) {
    const perTick = APART * ((end - start) / width);
    const step = STEPS.find((size) => size >= perTick) ?? Infinity;
    for (let time = start; time < end; time += 5 * MINUTE) {
      const clock = zone.clock(time);
      const at = x + ((time - start) / (end - start)) * width;
      const isNewDay = !isOneDay && clock.slice(0, 10) !== day;
      const minutes = Number(clock.slice(11, 13)) * 60 + Number(clock.slice(14, 16));
      const isDue = time === start || (minutes * MINUTE) % step === 0;
      const before = ticks.at(-1);
      if (!isNewDay && (!isDue || (before && at - before.at < APART))) continue;
      if (isNewDay && before && at - before.at < APART) continue;
      if (isNewDay) day = clock.slice(0, 10);
      const label = isNewDay ? `${weekday(day).slice(0, 3)} ${shortDay(day)}` : isOneDay ? clock.slice(11, 16) : "";
      if (label !== "") ticks.push({ at, label });
    }
  }
  return ticks;
}

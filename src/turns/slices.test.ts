import * as fc from "fast-check";
import { expect, it } from "vitest";
import { Slices, type StoredSlices } from "./slices.ts";

interface Item {
  name: string | null;
  value: number;
}

const SIZE = 3;
const nameOf = (item: Item): string | null => item.name;

/** Slices as an index stores them. Names are distinguished only by their first letter: most searches load too much. */
class SliceStore implements StoredSlices<Item> {
  readonly slices: string[] = [];
  loads = 0;

  load(slice: number): Item[] {
    this.loads++;
    return JSON.parse(this.slices[slice] ?? "[]") as Item[];
  }

  *slicesWith(name: string): Generator<number, void, undefined> {
    for (const [n, text] of this.slices.entries()) if (text.includes(`"name":"${name.slice(0, 1)}`)) yield n;
  }

  /** Saves a list and restores it. */
  saveAndRestore(list: Slices<Item>): Slices<Item> {
    for (const { n, items } of list.changedSlices()) this.slices[n] = JSON.stringify(items);
    const saved = JSON.parse(JSON.stringify(list.save())) as ReturnType<Slices<Item>["save"]>;
    return new Slices(SIZE, nameOf, { saved, slices: this });
  }
}

const name = fc.constantFrom(null, "a1", "a2", "b1", "b2", "c");
const act = fc.oneof(
  fc.record({ do: fc.constant("push" as const), name }),
  fc.record({ do: fc.constant("change" as const), at: fc.nat(40) }),
  fc.record({ do: fc.constant("replace" as const), at: fc.nat(40) }),
  fc.record({ do: fc.constant("find" as const), name: fc.constantFrom("a1", "a2", "b1", "b2", "c", "never") }),
  fc.record({ do: fc.constant("restart" as const) }),
);

it("a sliced list equals a plain list, however often it is saved and restored", () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 80 }), (acts) => {
      const store = new SliceStore();
      const model: Item[] = [];
      let list = new Slices<Item>(SIZE, nameOf);
      for (const [value, one] of acts.entries()) {
        if (one.do === "push") {
          model.push({ name: one.name, value });
          list.push({ name: one.name, value });
        } else if (one.do === "change") {
          const item = list.change(one.at);
          const expected = model[one.at];
          if (item) item.value = value;
          if (expected) expected.value = value;
        } else if (one.do === "replace") {
          const expected = model[one.at];
          if (expected) model[one.at] = { name: expected.name, value };
          if (expected) list.replace(one.at, { name: expected.name, value });
        } else if (one.do === "find") {
          const index = model.findLastIndex((item) => item.name === one.name);
          expect(list.find(one.name)).toBe(index === -1 ? undefined : index);
        } else list = store.saveAndRestore(list);
        expect(list.length).toBe(model.length);
      }
      expect(store.saveAndRestore(list).all()).toEqual(model);
    }),
  );
});

it("a restored list loads only the slices it needs and stores only those that changed", () => {
  const store = new SliceStore();
  let list = new Slices<Item>(SIZE, nameOf);
  for (let value = 0; value < 20; value++) list.push({ name: String.fromCharCode(97 + value), value });
  list = store.saveAndRestore(list);
  expect(list.find("e")).toBe(4);
  list.change(10);
  list.push({ name: "new", value: 20 });
  expect(store.loads).toBe(2);
  expect(list.changed()).toEqual([10, 20]);
  expect([...list.changedSlices()].map(({ n }) => n)).toEqual([3, 6]);
});

it("a restored list reports each changed index once, in order, and ignores missing ones", () => {
  const store = new SliceStore();
  let list = new Slices<Item>(SIZE, nameOf);
  for (let value = 0; value < 20; value++) list.push({ name: null, value });
  list = store.saveAndRestore(list);
  list.push({ name: null, value: 20 });
  for (const index of [12, 4, 20, 7, -1, 21]) list.change(index);
  expect(list.changed()).toEqual([4, 7, 12, 20]);
  list.replace(99, { name: null, value: 99 });
  expect(list.length).toBe(21);
});

it("a restored list finds the latest element of a name in whatever order slices are loaded", () => {
  const store = new SliceStore();
  let list = new Slices<Item>(SIZE, nameOf);
  for (let value = 0; value < 9; value++) list.push({ name: value % 4 === 0 ? "a" : "b", value });
  list = store.saveAndRestore(list);
  expect(list.at(8)).toEqual({ name: "a", value: 8 });
  expect(list.find("a")).toBe(8);
  expect(list.find("b")).toBe(7);
});

import { type AttributeType, attributeTypeCodes } from "wire/model";
import {
  attributeMark,
  attributeTypeLetters,
  ByteWriter,
  plainBytesOf,
  RowScanner,
  type SpanRows,
  valueMark,
} from "wire/rows";
import { malformedList } from "wire/rows/attribute-list";
import type { CountedRows } from "../../counts/counted-rows.ts";
import type { RowStep } from "../row-step.ts";
import { detectorsFor, traitFlags, traitSums } from "./detectors/built-in.ts";
import { RowEdits, varintOf } from "./row-edits.ts";
import type { RuleSet } from "./rule-set.ts";
import { isNameAt, type PlannedName, type PlanTable, type RuleView } from "./rule-view.ts";
import type { PlacedValue } from "./value-judge.ts";
import type { ValuePlan } from "./value-plan.ts";
import type { Verdict } from "./verdict-cache.ts";

const typesByLetter = new Array<AttributeType | undefined>(256).fill(undefined);
const typesByCode: AttributeType[] = [];
for (const [type, letter] of Object.entries(attributeTypeLetters) as [AttributeType, string][]) {
  typesByLetter[letter.charCodeAt(0)] = type;
  typesByCode[attributeTypeCodes[type]] = type;
}
const typeOfCode = (code: number) => typesByCode[code] ?? "string";
const emptyList = Uint8Array.of(0);
/** Minimum number of digits of a card number. */
const leastCardDigits = 13;

/**
 * Applies privacy rules to the rows of every receiver, before they are stored or counted by name. Unchanged rows are
 * passed on without a copy.
 */
export class PrivacyStep implements RowStep {
  readonly #scanner = new RowScanner();
  readonly #edits = new RowEdits();
  /** The changed rows of a request; the next request overwrites them. */
  readonly #out = new ByteWriter();
  #set: RuleSet;
  #bytes: Uint8Array = emptyList;
  /** The same memory as `#bytes`. */
  #rowView: DataView = new DataView(emptyList.buffer);
  /** The rules for the prefix of the present row. */
  #view: RuleView | undefined;
  /** Position after the number that `#varint` read last. */
  #next = 0;
  /** Plans for the list of attributes that is being processed. Texts do not use it. */
  #table: PlanTable | undefined;
  /** Position of a value for the judge; the object is reused. */
  readonly #value: { -readonly [Name in keyof PlacedValue]: PlacedValue[Name] } = {
    ...{ type: "string", bytes: emptyList, start: 0, end: 0, table: undefined },
  };

  constructor(set: RuleSet) {
    this.#set = set;
  }

  /** Makes later requests use these rules. */
  use(set: RuleSet): void {
    this.#set = set;
  }

  /**
   * Applies the rules to all values of a request's rows. Changes are first collected as edits and applied at the end,
   * so that a request without a finding is not copied.
   * @throws WireError WIRE_MALFORMED for invalid rows
   */
  apply(rows: SpanRows): SpanRows {
    const scanner = this.#scanner;
    const edits = this.#edits;
    const { buffer, byteOffset, byteLength } = rows.bytes;
    this.#bytes = rows.bytes;
    this.#rowView = new DataView(buffer, byteOffset, byteLength);
    edits.clear();
    scanner.open(rows);
    let prefixGrowth = 0;
    let plainBytes = plainBytesOf(rows);
    while (scanner.next()) {
      if (scanner.start === scanner.prefixStart) {
        const before = edits.growth;
        this.#prefix();
        prefixGrowth = edits.growth - before;
      }
      const before = edits.growth;
      this.#span();
      plainBytes += prefixGrowth + edits.growth - before;
    }
    if (edits.count === 0) {
      return rows;
    }
    const out = this.#out;
    out.clear();
    edits.apply(rows.bytes, out);
    const changed: CountedRows = {
      bytes: out.bytes,
      count: rows.count,
      plainBytes,
      services: (rows as CountedRows).services,
    };
    return changed;
  }

  /**
   * Finds the rules for tenant, service and scope of the next rows, and applies them to the attributes that these rows
   * share.
   */
  #prefix(): void {
    const {
      resourceAttributesStart,
      resourceAttributesEnd,
      tenantStart,
      tenantEnd,
      serviceStart,
      serviceEnd,
    } = this.#scanner;
    const schemaEnd = this.#textEnd(resourceAttributesEnd + 4);
    const scopeEnd = this.#textEnd(schemaEnd);
    const scopeStart = this.#textStart;
    const { views } = this.#set;
    this.#view =
      views.only ??
      views.of(
        this.#text(tenantStart, tenantEnd),
        this.#text(serviceStart, serviceEnd),
        this.#text(scopeStart, scopeEnd),
      );
    const { tables } = this.#view;
    if (tables.resource !== undefined) {
      this.#list(tables.resource, resourceAttributesStart);
    }
    if (tables.scope !== undefined) {
      this.#tuples(tables.scope, this.#textEnd(scopeEnd));
    }
  }

  /** Applies the rules to the texts, attributes, events, links and warnings of a row. */
  #span(): void {
    const { tables, texts } = this.#view as RuleView;
    const { traceStateAt, traceStateEnd, durationAt, attributesStart, attributesEnd, eventsEnd, linksEnd } =
      this.#scanner;
    this.#plainText(texts["trace-state"], traceStateAt);
    this.#plainText(texts["span-name"], traceStateEnd + 4);
    this.#plainText(texts["status-message"], durationAt + 9);
    if (tables.span !== undefined) {
      this.#list(tables.span, attributesStart);
    }
    const bytes = this.#bytes;
    if (bytes[attributesEnd + 4] !== 0 && (tables.event ?? texts["event-name"]) !== undefined) {
      this.#events(attributesEnd + 4);
    }
    if (bytes[eventsEnd + 4] !== 0 && (tables.link ?? texts["trace-state"]) !== undefined) {
      this.#links(eventsEnd + 4);
    }
    if (bytes[linksEnd + 4] !== 0 && texts.warning !== undefined) {
      let left = this.#varint(linksEnd + 4);
      for (let at = this.#next; left > 0; left--) {
        at = this.#plainText(texts.warning, at);
      }
    }
  }

  /** An event: time (8 bytes), name, attributes, number of dropped attributes (4 bytes). */
  #events(start: number): void {
    const { tables, texts } = this.#view as RuleView;
    let left = this.#varint(start);
    for (let at = this.#next; left > 0; left--) {
      at = this.#tuples(tables.event, this.#plainText(texts["event-name"], at + 8)) + 4;
    }
  }

  /**
   * A link: ids (24 bytes), trace state, attributes, number of dropped attributes and flags (8 bytes), type of
   * reference (1 byte).
   */
  #links(start: number): void {
    const { tables, texts } = this.#view as RuleView;
    let left = this.#varint(start);
    for (let at = this.#next; left > 0; left--) {
      at = this.#tuples(tables.link, this.#plainText(texts["trace-state"], at + 24)) + 9;
    }
  }

  /** @returns end of the text whose length is at `at` */
  #plainText(plan: ValuePlan | undefined, at: number): number {
    const end = this.#textEnd(at);
    const start = this.#textStart;
    if (plan === undefined || start === end || !this.#isCandidate(plan, start, end)) {
      return end;
    }
    const { bytes } = this.#judged(plan, "string", start, end);
    if (bytes !== undefined) {
      this.#edits.replace(at, end, bytes);
    }
    return end;
  }

  /** Processes attributes in one string: see wire's attribute-list.ts. */
  #list(table: PlanTable, at: number): void {
    const end = this.#textEnd(at);
    const start = this.#textStart;
    const edits = this.#edits;
    const bytes = this.#bytes;
    const last = end - 1;
    if (start === end) {
      return;
    }
    if (bytes[start] !== attributeMark || bytes[last] !== attributeMark) {
      throw malformedList(at);
    }
    this.#table = table;
    let slot = -1;
    let name = table.start;
    const before = edits.growth;
    for (let mark = start; mark < last; ) {
      name = this.#nameAfter(name, mark + 1, table);
      const valueStart = mark + name.key.length + 3;
      const type = typesByLetter[bytes[valueStart - 1] as number];
      if (bytes[valueStart - 2] !== valueMark || type === undefined) {
        throw malformedList(at);
      }
      const verdict = this.#verdict(name.plan, type, valueStart);
      const valueEnd = this.#next;
      if (verdict?.bytes !== undefined) {
        slot = slot < 0 ? edits.reserve(at) : slot;
        edits.replace(mark, valueEnd, verdict.bytes);
      }
      mark = valueEnd;
    }
    if (slot >= 0) {
      const length = end - start + edits.growth - before;
      if (length > 1) {
        edits.fill(slot, at, start, varintOf(length));
      } else {
        // All attributes were removed, so the mark at the end is removed too.
        edits.drop(slot);
        edits.replace(at, end, emptyList);
      }
    }
  }

  /** The name at `start`. It is mostly the name that followed `before` last time. */
  #nameAfter(before: PlannedName, start: number, table: PlanTable): PlannedName {
    const bytes = this.#bytes;
    const next = table.at(before.next);
    if (next !== undefined && isNameAt(next, this.#rowView, start, valueMark)) {
      return next;
    }
    let hash = 0;
    let end = start;
    for (let byte = bytes[end] as number; byte < valueMark; byte = bytes[++end] as number) {
      hash = Math.imul(hash ^ byte, 0x01000193);
    }
    const name = table.find(bytes, start, end, hash);
    before.next = name.slot;
    return name;
  }

  /** Processes attributes in the form of tuples. @returns position after them */
  #tuples(table: PlanTable | undefined, at: number): number {
    const edits = this.#edits;
    const bytes = this.#bytes;
    const count = this.#varint(at);
    const start = this.#next;
    this.#table = table;
    let slot = -1;
    let removed = 0;
    let tuple = start;
    for (let left = count; left > 0; left--) {
      const keyEnd = this.#textEnd(tuple);
      const keyStart = this.#textStart;
      const valueEnd = this.#textEnd(keyEnd + 1);
      const valueStart = this.#textStart;
      if (table !== undefined) {
        const { plan } = table.find(bytes, keyStart, keyEnd, hashOf(bytes, keyStart, keyEnd));
        const type = typeOfCode(bytes[keyEnd] as number);
        const verdict = this.#verdictBetween(plan, type, valueStart, valueEnd);
        if (verdict?.bytes !== undefined) {
          slot = slot < 0 ? edits.reserve(at) : slot;
          edits.replace(tuple, valueEnd, verdict.bytes);
          removed += verdict.bytes.length === 0 ? 1 : 0;
        }
      }
      tuple = valueEnd;
    }
    if (removed > 0) {
      edits.fill(slot, at, start, varintOf(count - removed));
    }
    return tuple;
  }

  /**
   * Finds the end of a list's value, and in the same pass the built-in detectors that may find something in it. Sets
   * `#next` to the end.
   * @returns undefined for an unchanged value
   */
  #verdict(plan: ValuePlan, type: AttributeType, start: number): Verdict | undefined {
    const bytes = this.#bytes;
    let index = start;
    if (plan.isForAll || plan.isIdle) {
      while (bytes[index] !== attributeMark) {
        index++;
      }
      this.#next = index;
      return this.#verdictBetween(plan, type, start, index);
    }
    let sum = 0;
    let seen = 0;
    for (let byte = bytes[index] as number; byte !== attributeMark; byte = bytes[++index] as number) {
      sum = (sum + (traitSums[byte] as number)) | 0;
      seen |= traitFlags[byte] as number;
    }
    this.#next = index;
    const isSuspect = (detectorsFor(sum, seen, index - start) & plan.detectors) !== 0;
    if (isSuspect ? hasText(type, index - start) : this.#isNested(type, start, index)) {
      return this.#judged(plan, type, start, index);
    }
    return undefined;
  }

  /** As `#verdict`, for a value whose end is known. */
  #verdictBetween(plan: ValuePlan, type: AttributeType, start: number, end: number): Verdict | undefined {
    const isJudged = plan.isForAll
      ? true
      : (hasText(type, end - start) && !plan.isIdle && this.#isCandidate(plan, start, end)) ||
        this.#isNested(type, start, end);
    return isJudged ? this.#judged(plan, type, start, end) : undefined;
  }

  /** True when rules may select something inside of the value by its name. */
  #isNested(type: AttributeType, start: number, end: number): boolean {
    return (
      (type === "kvlist" || type === "array") &&
      (this.#view as RuleView).hasNames &&
      this.#bytes.subarray(start, end).includes(0x7b)
    );
  }

  /** True when a rule of the plan may change the text. */
  #isCandidate(plan: ValuePlan, start: number, end: number): boolean {
    if (plan.isForAll) {
      return true;
    }
    const bytes = this.#bytes;
    let sum = 0;
    let seen = 0;
    for (let index = start; index < end; index++) {
      const byte = bytes[index] as number;
      sum = (sum + (traitSums[byte] as number)) | 0;
      seen |= traitFlags[byte] as number;
    }
    return (detectorsFor(sum, seen, end - start) & plan.detectors) !== 0;
  }

  /** Gets the verdict about the value from the judge, which caches verdicts, and counts the rules that applied. */
  #judged(plan: ValuePlan, type: AttributeType, start: number, end: number): Verdict {
    const { judge, hits } = this.#set;
    const value = this.#value;
    value.type = type;
    value.bytes = this.#bytes;
    value.start = start;
    value.end = end;
    value.table = (this.#view as RuleView).hasNames ? this.#table : undefined;
    const verdict = judge.judge(plan, value);
    for (const rule of verdict.hits) {
      hits[rule] = (hits[rule] as number) + 1;
    }
    return verdict;
  }

  #text(start: number, end: number): string {
    const { buffer, byteOffset } = this.#bytes;
    return Buffer.from(buffer, byteOffset + start, end - start).toString();
  }

  /** Start of the text of the last `#textEnd`. */
  get #textStart(): number {
    return this.#next;
  }

  /** @returns end of the text whose length is at `at`; the scanner has checked that it is within the rows */
  #textEnd(at: number): number {
    const length = this.#varint(at);
    return this.#next + length;
  }

  /** Reads the number at `at` and sets `#next` to the position after it. */
  #varint(at: number): number {
    const bytes = this.#bytes;
    let byte = bytes[at] as number;
    let value = byte & 0x7f;
    let next = at + 1;
    for (let factor = 0x80; byte >= 0x80; factor *= 0x80) {
      byte = bytes[next++] as number;
      value += (byte & 0x7f) * factor;
    }
    this.#next = next;
    return value;
  }
}

/** True when a value of this type may contain a text that a built-in detector finds. */
function hasText(type: AttributeType, length: number): boolean {
  if (type === "int" || type === "double") {
    return length >= leastCardDigits;
  }
  return type !== "bool" && type !== "empty";
}

/** Hash of a name; equals the hash that `#nameAfter` computes for names of lists. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0;
  for (let index = start; index < end; index++) {
    hash = Math.imul(hash ^ (bytes[index] as number), 0x01000193);
  }
  return hash;
}

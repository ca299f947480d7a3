import type { SpanList } from "storage/api";
import { traceIdText } from "wire/api-v2/id-texts";
import { tagFromAttribute } from "wire/api-v2/tags";
import { type Span, type SpanEvent, spanFormats, spanKinds, statusCodes } from "wire/model/span";
import { attributeMark } from "wire/rows/attribute-list";
import { parseAttributeText } from "wire/rows/parse-attribute-text";
import type { SpanFields } from "wire/rows/span-fields";
import type { SpanClock } from "../../service/adjusters/adjust-trace.ts";
import { withIpShown } from "../../service/adjusters/tag-adjusters.ts";
import { type JsonBytes, type KnownBytes, knownBytes, microsText } from "../json-bytes.ts";
import { isOlderModel, ownWarnings, type ShownSpanJson } from "../shown-span-json.ts";
import { floatJson, int64Json, tagJson } from "../tag-json.ts";
import { type FirstStep, maxListed, messagePlace, type TagStep, type TagSteps } from "../tag-steps.ts";
import type { ProcessKeys } from "../trace-json.ts";

const [zero, nine, minus] = [0x30, 0x39, 0x2d];
/**
 * Maximum number of digits of a whole number that JavaScript represents exactly. A longer number takes the slow path.
 */
const maxDigits = 15;

/**
 * Maximum number of tags that are cached for a trace. A full cache is emptied, because later values are equally likely
 * to repeat.
 */
const maxOther = 256;
/** Maximum number of characters of a tag that is cached. Longer ones seldom repeat. */
const longestOther = 256;

// Pieces of JSON between the fields of a span. They are encoded once, and copied as bytes.
const afterId = knownBytes('","operationName":"');
const rootAndStart = knownBytes('","references":[],"startTime":');
const parentEndAndStart = knownBytes('"}],"startTime":');
const duration = knownBytes(',"duration":');
const noLogs = knownBytes(',"logs":[]');
const logs = knownBytes(',"logs":');

/** The JSON that ends all spans of one process. */
interface EndJson {
  /** JSON before the warnings. */
  readonly process: KnownBytes;
  /** JSON of the whole end, for a span without warnings. */
  readonly withoutWarnings: KnownBytes;
}

/**
 * Writes the spans of one trace as `ShownSpanJson` does, but from the bytes of their rows, most of which JSON
 * contains unchanged. A span with rare fields is written through objects: trace state, several links, an end
 * before the start, damaged bytes.
 *
 * ```
 * {"traceID":"71a8…","spanID":"00000000000000a2","operationName":"SELECT",
 *  "references":[{"refType":"CHILD_OF","traceID":"71a8…","spanID":"00000000000000a1"}],
 *  "startTime":1795967689010000,"duration":30000,"tags":[…],"logs":[],"processID":"p2","warnings":null}
 * ```
 */
export class SpanRowsJson {
  /** Rows of the trace. */
  readonly #spans: SpanList;
  /** Collects the bytes of the answer. */
  readonly #out: JsonBytes;
  /** Writer for spans that must be converted to objects. */
  readonly #writer: ShownSpanJson;
  /** Keys of processes, such as `p1`. */
  readonly #keys: ProcessKeys;
  /** Known sequences of tags, shared by all traces of this process. */
  readonly #steps: TagSteps;
  /** True: references to the trace are omitted, because its id is invalid. */
  readonly #isNameless: boolean;
  // JSON before the span's own id.
  readonly #head: KnownBytes;
  // JSON before the parent's id.
  readonly #parent: KnownBytes;
  // JSON after the tags, by origin: spans of one origin share their process.
  readonly #ends = new Map<SpanFields["origin"], EndJson>();
  /** JSON of tags whose values cannot be copied as text, by key, type and value. */
  readonly #otherTags = new Map<string, string>();
  /** Steps to the attributes of the last read list. The positions of their values follow. */
  readonly #found: TagStep[] = [];
  /** Start offsets of the values in the row's bytes; the end offsets follow. */
  readonly #valueStarts = new Uint32Array(maxListed);
  readonly #valueEnds = new Uint32Array(maxListed);

  /** @param parts parts of the answer; `keys` has the process keys of the trace */
  constructor(
    traceId: string,
    spans: SpanList,
    parts: {
      readonly out: JsonBytes;
      readonly writer: ShownSpanJson;
      readonly keys: ProcessKeys;
    },
  ) {
    this.#spans = spans;
    this.#out = parts.out;
    this.#writer = parts.writer;
    this.#keys = parts.keys;
    this.#steps = parts.writer.shared.steps;
    this.#isNameless = /^0*$/.test(traceId);
    const shownId = traceIdText(traceId);
    this.#head = knownBytes(`{"traceID":"${shownId}","spanID":"`);
    this.#parent = knownBytes(`","references":[{"refType":"CHILD_OF","traceID":"${shownId}","spanID":"`);
  }

  /** Writes the span at `index` with its `fields`. */
  write(index: number, fields: SpanFields, clock: SpanClock): void {
    // A span that needs objects after all is removed from the output, and written again.
    const start = this.#out.length;
    if (this.#isWritten(index, fields, clock)) {
      return;
    }
    this.#out.cut(start);
    this.#out.text(this.#writer.json(this.#spanAt(index), clock, this.#keys));
  }

  /** @returns false when the span must be converted to an object */
  #isWritten(index: number, fields: SpanFields, clock: SpanClock): boolean {
    const { view, origin, spanIdAt, startAt, flags } = fields;
    if (fields.hasTraceState || this.#isNameless) {
      return false;
    }
    const endsBeforeStart = view.getInt32(startAt + 12, true) < 0;
    if (endsBeforeStart) {
      return false;
    }
    const isOlder = isOlderModel(origin);
    const details = fields.details();
    if (details === "more" || (details === "parent" && !isOlder)) {
      return false;
    }
    const out = this.#out;
    out.known(this.#head);
    out.hex(view, spanIdAt);
    if (isOlder && flags !== 0) {
      out.text(`","flags":${flags},"operationName":"`);
    } else {
      out.known(afterId);
    }
    this.#writeText(fields, fields.nameStart, fields.nameEnd);
    if (isOlder ? details === "parent" : hasId(view, spanIdAt + 8)) {
      out.known(this.#parent);
      out.hex(view, spanIdAt + 8);
      out.known(parentEndAndStart);
    } else {
      out.known(rootAndStart);
    }
    const { appliedNano, warning } = this.#writer.skew(clock);
    if (appliedNano === 0n) {
      out.micros(view, startAt);
    } else {
      out.text(microsText(view.getBigInt64(startAt, true) + appliedNano));
    }
    out.known(duration);
    out.micros(view, startAt + 8);
    if (!this.#areTagsWritten(index, fields)) {
      return false;
    }
    if (fields.hasEvents) {
      const events = eventsOf(fields);
      if (events === undefined) {
        return false;
      }
      out.known(logs);
      out.text(this.#writer.logsJson({ events, format: origin.format }, appliedNano));
    } else {
      out.known(noLogs);
    }
    const end = this.#ends.get(origin) ?? this.#newEnd(index, origin);
    if (warning === undefined && clock.missingParent === undefined) {
      out.known(end.withoutWarnings);
    } else {
      out.known(end.process);
      out.text(`${ownWarnings([], clock, warning)}}`);
    }
    return true;
  }

  /** Creates the end of spans of one origin, with the first of these spans. */
  #newEnd(index: number, origin: SpanFields["origin"]): EndJson {
    const { process } = this.#writer.shared.processes.of(origin.resource, () => this.#spanAt(index));
    const upToWarnings = `,"processID":"${this.#keys.keyOf(process)}","warnings":`;
    const end = { process: knownBytes(upToWarnings), withoutWarnings: knownBytes(`${upToWarnings}null}`) };
    this.#ends.set(origin, end);
    return end;
  }

  /** @returns false when the tags must be converted to objects */
  #areTagsWritten(index: number, fields: SpanFields): boolean {
    const { format, scope } = fields.origin;
    const { kind, status, messageStart, messageEnd } = fields;
    // Unknown numbers are refused when the span is converted to an object.
    if (kind >= spanKinds.length || status >= statusCodes.length) {
      return false;
    }
    const facts = (spanFormats.indexOf(format) * spanKinds.length + kind) * statusCodes.length + status;
    const hasMessage = messageStart < messageEnd;
    const first = this.#steps.first(scope, 2 * facts + Number(hasMessage), () => this.#spanAt(index));
    let last = this.#lastStep(fields, first);
    if (last?.layout === undefined) {
      this.#steps.learn(first, this.#spanAt(index).attributes);
      last = this.#lastStep(fields, first);
    }
    const layout = last?.layout;
    if (layout === undefined || layout === "none") {
      return false;
    }
    const out = this.#out;
    const { between, places } = layout;
    for (let at = 0; at < places.length; at++) {
      out.known(between[at] as KnownBytes);
      const place = places[at] as number;
      if (place === messagePlace) {
        this.#writeText(fields, messageStart, messageEnd);
      } else if (!this.#isValueWritten(fields, place)) {
        return false;
      }
    }
    out.known(between[places.length] as KnownBytes);
    return true;
  }

  /** Reads the attributes. @returns the last step, or undefined when an attribute has no step */
  #lastStep(
    { view, bytes, attributesStart, attributesEnd }: SpanFields,
    first: FirstStep,
  ): TagStep | undefined {
    let { step } = first;
    if (attributesStart === attributesEnd) {
      return step;
    }
    const end = attributesEnd - 1;
    let at = attributesStart;
    if (at === end || bytes[at] !== attributeMark || bytes[end] !== attributeMark) {
      return undefined;
    }
    for (let count = 0; at < end; count++) {
      const next = count < maxListed ? step.next(view, at + 1, end) : undefined;
      if (next === undefined) {
        return undefined;
      }
      step = next;
      const valueStart = at + 1 + step.length;
      at = markFrom(bytes, valueStart);
      this.#found[count] = step;
      this.#valueStarts[count] = valueStart;
      this.#valueEnds[count] = at;
    }
    return step;
  }

  /**
   * @returns false when the attribute at `place` of the last read list must be converted to an object
   */
  #isValueWritten(fields: SpanFields, place: number): boolean {
    const out = this.#out;
    const { view, bytes } = fields;
    const start = this.#valueStarts[place] as number;
    const end = this.#valueEnds[place] as number;
    switch ((this.#found[place] as TagStep).shownAs) {
      case "string":
        this.#writeText(fields, start, end);
        return true;
      case "int64": {
        if (isShortInt(bytes, start, end)) {
          return out.plain(view, start, end);
        }
        const text = bytes.toString("latin1", start, end);
        if (!/^-?\d{1,19}$/.test(text)) {
          return false;
        }
        out.text(int64Json(BigInt(text)));
        return true;
      }
      case "bool":
        return isBool(view, start, end) && out.plain(view, start, end);
      case "float64": {
        const text = bytes.toString("latin1", start, end);
        const value = Number(text);
        if (text === "" || (Number.isNaN(value) && text !== "NaN")) {
          return false;
        }
        out.text(floatJson(value));
        return true;
      }
      case "other": {
        const tag = this.#otherTag(this.#found[place] as TagStep, bytes.toString("utf8", start, end));
        if (tag !== undefined) {
          out.text(tag);
        }
        return tag !== undefined;
      }
    }
  }

  /** @returns undefined for an invalid value, which is reported when the span is converted to an object */
  #otherTag({ key, type }: TagStep, text: string): string | undefined {
    const all = `${key} ${type} ${text}`;
    let tag = this.#otherTags.get(all);
    if (tag !== undefined) {
      return tag;
    }
    try {
      tag = tagJson(withIpShown(tagFromAttribute({ key, value: parseAttributeText(type, text) })));
    } catch {
      return undefined;
    }
    if (all.length > longestOther) {
      return tag;
    }
    if (this.#otherTags.size >= maxOther) {
      this.#otherTags.clear();
    }
    this.#otherTags.set(all, tag);
    return tag;
  }

  /** Writes text between quotes. */
  #writeText({ view, bytes }: SpanFields, start: number, end: number): void {
    const out = this.#out;
    if (!out.plain(view, start, end)) {
      out.text(JSON.stringify(bytes.toString("utf8", start, end)).slice(1, -1));
    }
  }

  /** Converts the span to an object. */
  #spanAt(index: number): Span {
    return this.#spans.at(index) as Span;
  }
}

/** @returns undefined for damaged events, which are reported when the span is converted to an object */
function eventsOf(fields: SpanFields): SpanEvent[] | undefined {
  try {
    return fields.events();
  } catch {
    return undefined;
  }
}

/** True when eight bytes contain an id; all zeros mean none. */
function hasId(view: DataView, start: number): boolean {
  return (view.getInt32(start) | view.getInt32(start + 4)) !== 0;
}

/** The next mark of an attribute list. @throws when there is none */
function markFrom(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at] !== attributeMark) {
    at++;
  }
  return at;
}

/** True when the bytes are `true` or `false`. They are compared as numbers: 0x74727565 is "true". */
function isBool(view: DataView, start: number, end: number): boolean {
  if (end - start === 4) {
    return view.getUint32(start) === 0x74727565;
  }
  return end - start === 5 && view.getUint32(start) === 0x66616c73 && view.getUint8(start + 4) === 0x65;
}

/** True for a short whole number as JavaScript writes it. */
function isShortInt(bytes: Buffer, start: number, end: number): boolean {
  const first = bytes[start] === minus ? start + 1 : start;
  if (first === end || end - first > maxDigits) {
    return false;
  }
  if (bytes[first] === zero && end - start > 1) {
    return false;
  }
  for (let at = first; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte < zero || byte > nine) {
      return false;
    }
  }
  return true;
}

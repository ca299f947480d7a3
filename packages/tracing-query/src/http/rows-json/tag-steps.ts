import { type KeyValue, tagFromAttribute, toApiV2Span } from "wire/api-v2";
import type { Attribute, AttributeType, Scope, Span } from "wire/model";
import { attributeTypeLetters, valueMark } from "wire/rows";
import { sdkKeys } from "../../service/adjusters/sdk-tags.ts";
import { compareTags } from "../../service/adjusters/tag-order.ts";
import { quoteRepeated, tagJson } from "../tag-json.ts";
import { type KnownBytes, knownBytes } from "./json-bytes.ts";

/** Attributes of a list that is known; spans with more go another way. */
export const maxListed = 64;

/** Steps from one; more are not known. */
const maxNext = 64;

/** Bytes of what is known, roughly; more begin anew. */
const maxBytes = 4 * 1024 * 1024;

/** Of a step, beside its key. */
const stepBytes = 256;

/** How the text of a value is shown; `other`: the whole tag is made of the attribute. */
type ShownAs = "string" | "int64" | "bool" | "float64" | "other";

const shownTypes: Partial<Record<AttributeType, ShownAs>> = {
  string: "string",
  int: "int64",
  bool: "bool",
  double: "float64",
};

/** Of these, numbers are shown as texts. */
const addressKeys: ReadonlySet<string> = new Set(["ip", "peer.ipv4"]);

/** Has the text of the status, which is a span's own. */
const messageKey = "otel.status_description";

/** The place of that text among the values of tags, beside those of attributes. */
export const messagePlace = -1;

/** The tags of spans with one list of keys, but for the values that are a span's own. */
export interface TagLayout {
  /** What stands before each of these values, and behind the last. */
  readonly between: readonly KnownBytes[];
  /** Of which attributes they are, in order, or `messagePlace`. */
  readonly places: readonly number[];
}

/** Where to begin with a span's attributes. */
export interface FirstStep {
  /** Tags that are no attributes. */
  readonly own: readonly KeyValue[];
  readonly step: TagStep;
}

/** A list of keys and their types: who goes through attributes goes on to the list that is one longer. */
export class TagStep {
  readonly key: string;
  readonly type: AttributeType;
  readonly shownAs: ShownAs;
  /**
   * The tags where no more attributes follow. `none`: their order depends on more, or they are not shown as the span's.
   */
  layout: TagLayout | "none" | undefined;
  /** Key, mark and letter. */
  readonly #bytes: KnownBytes;
  readonly #next: TagStep[] = [];

  /** For the attribute that leads here. */
  constructor(key: string, type: AttributeType) {
    this.key = key;
    this.type = type;
    const shownAs = shownTypes[type] ?? "other";
    this.shownAs = addressKeys.has(key) && shownAs !== "string" ? "other" : shownAs;
    const mark = Buffer.from([valueMark, attributeTypeLetters[type].charCodeAt(0)]);
    this.#bytes = knownBytes(Buffer.concat([Buffer.from(key), mark]));
  }

  /** Bytes of a list that lead here, marks between attributes aside. */
  get length(): number {
    return this.#bytes.length;
  }

  /** The step that the bytes from `start` on lead to. @param end of the list */
  next(list: DataView, start: number, end: number): TagStep | undefined {
    for (const step of this.#next) if (step.#isAt(list, start, end)) return step;
    return undefined;
  }

  /** The step that an attribute leads to, made where there is none yet. @returns undefined where there are too many */
  to(key: string, type: AttributeType): TagStep | undefined {
    const known = this.#next.find((step) => step.key === key && step.type === type);
    if (known !== undefined || this.#next.length >= maxNext) return known;
    const step = new TagStep(key, type);
    this.#next.push(step);
    return step;
  }

  #isAt(list: DataView, start: number, end: number): boolean {
    const { view, length } = this.#bytes;
    if (start + length > end) return false;
    let index = 0;
    for (; index <= length - 4; index += 4) {
      if (list.getInt32(start + index) !== view.getInt32(index)) return false;
    }
    for (; index < length; index++) {
      if (list.getUint8(start + index) !== view.getUint8(index)) return false;
    }
    return true;
  }
}

/** The lists of keys that spans have, and their tags: most have those of others. */
export class TagSteps {
  /** By scope, then by what else own tags depend on. */
  #first = new Map<Scope, Map<number, FirstStep>>();
  /** At most. */
  #bytes = 0;

  /**
   * @param key tells spans of one scope with other own tags apart
   * @param spanOf one of them
   */
  first(scope: Scope, key: number, spanOf: () => Span): FirstStep {
    const known = this.#first.get(scope)?.get(key);
    if (known !== undefined) return known;
    const { tags } = toApiV2Span({ ...spanOf(), attributes: [], events: [], links: [] });
    const first = { own: tags, step: new TagStep("", "empty") };
    this.#count(stepBytes + bytesOfTags(tags));
    const ofScope = this.#first.get(scope) ?? new Map<number, FirstStep>();
    this.#first.set(scope, ofScope.set(key, first));
    return first;
  }

  /** Keeps the keys of such attributes, if there are not too many. */
  learn({ own, step: first }: FirstStep, attributes: readonly Attribute[]): void {
    if (attributes.length > maxListed) return;
    // As steps, and once more with the tags that are no attributes between the values.
    this.#count(attributes.reduce((sum, { key }) => sum + stepBytes + 4 * key.length, bytesOfTags(own)));
    const steps = [first];
    for (const { key, value } of attributes) {
      const step = (steps.at(-1) as TagStep).to(key, value.type);
      if (step === undefined) return;
      steps.push(step);
    }
    (steps.at(-1) as TagStep).layout ??= layoutOf(own, attributes, steps.slice(1));
  }

  #count(more: number): void {
    this.#bytes += more;
    if (this.#bytes <= maxBytes) return;
    this.#first = new Map();
    this.#bytes = more;
  }
}

function bytesOfTags(tags: readonly KeyValue[]): number {
  return tags.reduce((sum, { key, vStr }) => sum + 2 * (key.length + vStr.length) + stepBytes, 0);
}

function layoutOf(
  own: readonly KeyValue[],
  attributes: readonly Attribute[],
  steps: readonly TagStep[],
): TagLayout | "none" {
  if (attributes.some(({ key }) => sdkKeys.has(key))) return "none";
  const tags = [...own, ...attributes.map(tagFromAttribute)];
  // The order of equal keys is that of their values. And a collector that wrote through the remote storage API has brought the tag of
  // the format along.
  if (new Set(tags.map(({ key }) => key)).size < tags.length) return "none";
  const between: KnownBytes[] = [];
  const places: number[] = [];
  let text = ',"tags":[';
  let comma = "";
  for (const tag of tags.toSorted(compareTags)) {
    text += comma;
    comma = ",";
    const place = tags.indexOf(tag) - own.length;
    const isMessage = place < 0 && tag.key === messageKey;
    if (place < 0 && !isMessage) {
      text += tagJson(tag);
      continue;
    }
    const [head, end] = aroundValue(tag.key, isMessage ? "string" : (steps[place] as TagStep).shownAs);
    between.push(knownBytes(text + head));
    places.push(isMessage ? messagePlace : place);
    text = end;
  }
  between.push(knownBytes(`${text}]`));
  return { between, places };
}

/** A tag up to its value, and behind that. */
function aroundValue(key: string, shownAs: ShownAs): [head: string, end: string] {
  if (shownAs === "other") return ["", ""];
  const head = `{"key":${quoteRepeated(key)},"type":"${shownAs}","value":`;
  return shownAs === "string" ? [`${head}"`, '"}'] : [head, "}"];
}

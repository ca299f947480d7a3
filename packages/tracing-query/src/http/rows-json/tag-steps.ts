import { formatTagKey, type KeyValue, tagFromAttribute, toApiV2Span } from "wire/api-v2";
import type { Attribute, AttributeType, Scope, Span } from "wire/model";
import { attributeTypeLetters, valueMark } from "wire/rows";
import { sdkKeys } from "../../service/adjusters/sdk-tags.ts";
import { compareTags } from "../../service/adjusters/tag-order.ts";
import { shownTag } from "../shown-tags.ts";
import { quoteRepeated } from "../tag-json.ts";
import { type KnownBytes, knownBytes } from "./json-bytes.ts";

/** Attributes of a list that is known; spans with more go another way. */
export const maxListed = 64;

/** Steps from one; more are not known. */
const maxNext = 64;

/** Steps in all; more begin anew. */
const maxSteps = 4_096;

/** How a value's text becomes that of a tag; `other`: it takes more than its text. */
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

/** A tag that is no attribute. */
interface OwnTag {
  readonly tag: KeyValue;
  /** With a comma in front; where it has the text of the status, up to that. */
  readonly json: KnownBytes;
  readonly hasMessage: boolean;
}

/** Where to begin with a span's attributes. */
export interface FirstStep {
  readonly own: readonly OwnTag[];
  readonly step: TagStep;
}

/** A list of keys and their types: who goes through attributes goes on to the list that is one longer. */
export class TagStep {
  readonly key: string;
  readonly type: AttributeType;
  readonly shownAs: ShownAs;
  /** What a tag begins with, up to its value; with a comma in front. */
  readonly head: KnownBytes;
  /**
   * In which order tags are shown where no more attributes follow: places of own tags, behind which are those of attributes.
   * `none`: that depends on more, or they are not shown as the span's.
   */
  order: readonly number[] | "none" | undefined;
  /** Key, mark and letter. */
  readonly #bytes: KnownBytes;
  readonly #next: TagStep[] = [];

  /** For the attribute that leads here. */
  constructor(key: string, type: AttributeType) {
    this.key = key;
    this.type = type;
    const shownAs = shownTypes[type] ?? "other";
    this.shownAs = addressKeys.has(key) && shownAs !== "string" ? "other" : shownAs;
    this.head = knownBytes(headOf(key, this.shownAs));
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

/** The lists of keys that spans have, and in which order their tags are shown: most have those of others. */
export class TagSteps {
  /** By scope, then by what else own tags depend on. */
  #first = new Map<Scope, Map<number, FirstStep>>();
  /** At most. */
  #steps = 0;

  /**
   * @param key tells spans of one scope with other own tags apart
   * @param spanOf one of them
   */
  first(scope: Scope, key: number, spanOf: () => Span): FirstStep {
    const known = this.#first.get(scope)?.get(key);
    if (known !== undefined) return known;
    this.#count(1);
    const { tags } = toApiV2Span({ ...spanOf(), attributes: [], events: [], links: [] });
    const first = { own: tags.map(ownTag), step: new TagStep("", "empty") };
    const ofScope = this.#first.get(scope) ?? new Map<number, FirstStep>();
    this.#first.set(scope, ofScope.set(key, first));
    return first;
  }

  /** Keeps the keys of such attributes, if there are not too many. */
  learn({ own, step: first }: FirstStep, attributes: readonly Attribute[]): void {
    if (attributes.length > maxListed) return;
    this.#count(attributes.length);
    let step: TagStep | undefined = first;
    for (const { key, value } of attributes) {
      step = step.to(key, value.type);
      if (step === undefined) return;
    }
    step.order ??= orderOf(own, attributes);
  }

  #count(more: number): void {
    this.#steps += more;
    if (this.#steps <= maxSteps) return;
    this.#first = new Map();
    this.#steps = more;
  }
}

function ownTag(tag: KeyValue): OwnTag {
  const hasMessage = tag.key === messageKey;
  const json = hasMessage ? headOf(tag.key, "string") : shownTag(tag).json;
  return { tag, json: knownBytes(json), hasMessage };
}

function orderOf(own: readonly OwnTag[], attributes: readonly Attribute[]): readonly number[] | "none" {
  // A collector that wrote through the remote storage API has brought the tag of the format along.
  if (attributes.at(-1)?.key === formatTagKey) return "none";
  if (attributes.some(({ key }) => sdkKeys.has(key))) return "none";
  const tags = [...own.map(({ tag }) => tag), ...attributes.map(tagFromAttribute)];
  const order = Array.from(tags.keys()).sort((one, other) =>
    compareTags(tags[one] as KeyValue, tags[other] as KeyValue),
  );
  // The order of equal keys is that of their values.
  const keys = new Set(tags.map(({ key }) => key));
  return keys.size === tags.length ? order : "none";
}

/** What a tag begins with, up to its value; with a comma in front. */
function headOf(key: string, shownAs: ShownAs): string {
  const head = `,{"key":${quoteRepeated(key)},"type":"${shownAs}","value":`;
  return shownAs === "string" ? `${head}"` : head;
}

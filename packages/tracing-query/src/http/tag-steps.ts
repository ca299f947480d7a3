import { tagFromAttribute } from "wire/api-v2/tags";
import { toApiV2Span } from "wire/api-v2/to-api-v2-span";
import type { KeyValue } from "wire/api-v2-model";
import type { Attribute, AttributeType, Scope, Span } from "wire/model";
import { attributeTypeLetters, valueMark } from "wire/rows/attribute-list";
import { sdkKeys } from "../service/adjusters/tag-adjusters.ts";
import { compareTags } from "../service/adjusters/tag-order.ts";
import { type KnownBytes, knownBytes } from "./json-bytes.ts";
import { quoteRepeated, tagJson } from "./tag-json.ts";

/** Maximum number of attributes in a known list; a span with more must be converted to an object. */
export const maxListed = 64;

/** Maximum number of steps that may follow one step. Further ones are not remembered. */
const maxNext = 64;

/** Approximate limit of the cache in bytes; above it the cache is emptied. */
const maxBytes = 4 * 1024 * 1024;

/** Estimated bytes of a step besides its key. The sum of all steps is limited by `maxBytes`. */
const stepBytes = 256;

/** Form of a value's text. `other`: the tag is built from the whole attribute. */
type ShownAs = "string" | "int64" | "bool" | "float64" | "other";

const shownTypes: Partial<Record<AttributeType, ShownAs>> = {
  string: "string",
  int: "int64",
  bool: "bool",
  double: "float64",
};

/** Keys whose numbers are shown as text. */
const addressKeys: ReadonlySet<string> = new Set(["ip", "peer.ipv4"]);

/** Key of the tag with the text of the span's status. */
const messageKey = "otel.status_description";

/** Index that means the status text; attributes have indexes from 0. */
export const messagePlace = -1;

/** The tags of spans with the same list of keys, without the values, which differ by span. */
export interface TagLayout {
  /** The JSON before each value, and after the last one. */
  readonly between: readonly KnownBytes[];
  /** Origin of each value, in order: the index of an attribute, or `messagePlace`. */
  readonly places: readonly number[];
}

/** The first step for the attributes of a span. */
export interface FirstStep {
  /** Tags from fields other than attributes. */
  readonly own: readonly KeyValue[];
  readonly step: TagStep;
}

/**
 * A list of keys with their types. Each further attribute leads to the step of the extended list.
 */
export class TagStep {
  readonly key: string;
  readonly type: AttributeType;
  readonly shownAs: ShownAs;
  /**
   * The tags of a list that ends here. `none`: their order depends on values, or they are not shown as the span's own.
   */
  layout: TagLayout | "none" | undefined;
  /** Key, mark and type letter as bytes. */
  readonly #bytes: KnownBytes;
  readonly #next: TagStep[] = [];

  /** The step that the attribute `key` adds. */
  constructor(key: string, type: AttributeType) {
    this.key = key;
    this.type = type;
    const shownAs = shownTypes[type] ?? "other";
    this.shownAs = addressKeys.has(key) && shownAs !== "string" ? "other" : shownAs;
    const mark = Buffer.from([valueMark, attributeTypeLetters[type].charCodeAt(0)]);
    this.#bytes = knownBytes(Buffer.concat([Buffer.from(key), mark]));
  }

  /** Number of bytes of the attribute before its value: key, mark and type letter. */
  get length(): number {
    return this.#bytes.length;
  }

  /** The next step for the bytes from `start`. @param end end of the list */
  next(list: DataView, start: number, end: number): TagStep | undefined {
    for (const step of this.#next) {
      if (step.#isAt(list, start, end)) {
        return step;
      }
    }
    return undefined;
  }

  /**
   * The next step for an attribute; a missing step is created. @returns undefined when there are too many steps
   */
  to(key: string, type: AttributeType): TagStep | undefined {
    const known = this.#next.find((step) => step.key === key && step.type === type);
    if (known !== undefined || this.#next.length >= maxNext) {
      return known;
    }
    const step = new TagStep(key, type);
    this.#next.push(step);
    return step;
  }

  #isAt(list: DataView, start: number, end: number): boolean {
    const { view, length } = this.#bytes;
    if (start + length > end) {
      return false;
    }
    let index = 0;
    for (; index <= length - 4; index += 4) {
      if (list.getInt32(start + index) !== view.getInt32(index)) {
        return false;
      }
    }
    for (; index < length; index++) {
      if (list.getUint8(start + index) !== view.getUint8(index)) {
        return false;
      }
    }
    return true;
  }
}

/** Cache of the JSON of tags, by the list of attribute keys. Most spans share their list with others. */
export class TagSteps {
  /** First steps by scope, then by the other inputs of the own tags. */
  #first = new Map<Scope, Map<number, FirstStep>>();
  /** Upper estimate of the cache's size in bytes. */
  #bytes = 0;

  /**
   * @param key distinguishes spans of one scope with different own tags
   * @param spanOf returns one of these spans as an object
   */
  first(scope: Scope, key: number, spanOf: () => Span): FirstStep {
    const known = this.#first.get(scope)?.get(key);
    if (known !== undefined) {
      return known;
    }
    const { tags } = toApiV2Span({ ...spanOf(), attributes: [], events: [], links: [] });
    const first = { own: tags, step: new TagStep("", "empty") };
    this.#count(stepBytes + bytesOfTags(tags));
    const ofScope = this.#first.get(scope) ?? new Map<number, FirstStep>();
    this.#first.set(scope, ofScope.set(key, first));
    return first;
  }

  /** Stores the keys of these attributes, unless there are too many. */
  learn({ own, step: first }: FirstStep, attributes: readonly Attribute[]): void {
    if (attributes.length > maxListed) {
      return;
    }
    // Keys are stored as steps, and once more in the JSON between values.
    this.#count(attributes.reduce((sum, { key }) => sum + stepBytes + 4 * key.length, bytesOfTags(own)));
    const steps = [first];
    for (const { key, value } of attributes) {
      const step = (steps.at(-1) as TagStep).to(key, value.type);
      if (step === undefined) {
        return;
      }
      steps.push(step);
    }
    (steps.at(-1) as TagStep).layout ??= layoutOf(own, attributes, steps.slice(1));
  }

  #count(more: number): void {
    this.#bytes += more;
    if (this.#bytes <= maxBytes) {
      return;
    }
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
  if (attributes.some(({ key }) => sdkKeys.has(key))) {
    return "none";
  }
  const tags = [...own, ...attributes.map(tagFromAttribute)];
  // Equal keys are sorted by their values, which differ by span. A collector that wrote through the remote storage API
  // has also sent the format's tag.
  if (new Set(tags.map(({ key }) => key)).size < tags.length) {
    return "none";
  }
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

/** The JSON before and after a tag's value. */
function aroundValue(key: string, shownAs: ShownAs): [head: string, end: string] {
  if (shownAs === "other") {
    return ["", ""];
  }
  const head = `{"key":${quoteRepeated(key)},"type":"${shownAs}","value":`;
  return shownAs === "string" ? [`${head}"`, '"}'] : [head, "}"];
}

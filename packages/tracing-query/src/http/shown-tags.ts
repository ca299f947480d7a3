import { type KeyValue, tagFromAttribute } from "wire/api-v2";
import type { Attribute } from "wire/model";
import { withIpShown } from "../service/adjusters/ip-tags.ts";
import { tagJson } from "./tag-json.ts";

/** Attributes whose JSON is known at a time. */
const maxKnown = 4_096;

/** So few that most of them die young: what comes but once, as ids do, is not worth more. */
const maxNew = 128;

/** A tag as it is shown. */
export interface ShownTag {
  readonly tag: KeyValue;
  /** With a comma in front. */
  readonly json: string;
}

export function shownTag(sent: KeyValue): ShownTag {
  return shownField(withIpShown(sent));
}

/** A field of a log, which is shown as it was sent. */
export function shownField(tag: KeyValue): ShownTag {
  // Joined, which makes one string: what `+` makes is a tree of its parts, to be walked whenever it is written.
  return { tag, json: [",", tagJson(tag)].join("") };
}

/** Tags of attributes that spans share, made once each; those that were asked for twice are kept for long. */
export class ShownTags {
  readonly #shown: (tag: KeyValue) => ShownTag;
  readonly #known = new Map<Attribute, ShownTag>();
  #new = new Map<Attribute, ShownTag>();

  constructor(shown = shownTag) {
    this.#shown = shown;
  }

  of(attribute: Attribute): ShownTag {
    return this.#known.get(attribute) ?? this.#seldom(attribute);
  }

  #seldom(attribute: Attribute): ShownTag {
    let shown = this.#new.get(attribute);
    if (shown !== undefined) {
      if (this.#known.size >= maxKnown) this.#known.clear();
      this.#known.set(attribute, shown);
      return shown;
    }
    shown = this.#shown(tagFromAttribute(attribute));
    // Not cleared: what a map had before points to what it has then, and all that is held once a part of it has grown old.
    if (this.#new.size >= maxNew) this.#new = new Map();
    this.#new.set(attribute, shown);
    return shown;
  }
}

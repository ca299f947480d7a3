import { LRUCache } from "lru-cache";
import { LinearRegexp } from "./linear-regexp.ts";

const maxKnown = 100;

/** Cache of compiled patterns from requests, because requests mostly use the same patterns. */
export class KnownRegexps {
  readonly #known = new LRUCache<string, LinearRegexp>({ max: maxKnown });

  /** @throws ServerError MODULE_CONFIG as {@link LinearRegexp} */
  compile(pattern: string): LinearRegexp {
    let regexp = this.#known.get(pattern);
    if (regexp === undefined) {
      regexp = new LinearRegexp(pattern);
      this.#known.set(pattern, regexp);
    }
    return regexp;
  }
}

import type { Process } from "wire/api-v2-model";
import { quoteRepeated, tagsJson } from "./tag-json.ts";

/** Keys of a trace's processes: p1, p2 … in order of first use. Equal processes share a key. */
export class ProcessKeys {
  readonly #keys = new Map<string, string>();
  /** Spans often share the same object, which this map finds without comparing contents. */
  readonly #known = new Map<Process | undefined, string>();
  readonly #jsonOf: (process: Process | undefined) => string;

  /** @param jsonOf returns the JSON of a process; pass one with a cache when traces share processes */
  constructor(jsonOf = processJson) {
    this.#jsonOf = jsonOf;
  }

  keyOf(process: Process | undefined): string {
    let key = this.#known.get(process);
    if (key === undefined) {
      key = this.#keyOfEqual(this.#jsonOf(process));
      this.#known.set(process, key);
    }
    return key;
  }

  #keyOfEqual(json: string): string {
    let key = this.#keys.get(json);
    if (key === undefined) {
      key = `p${this.#keys.size + 1}`;
      this.#keys.set(json, key);
    }
    return key;
  }

  json(): string {
    return `{${Array.from(this.#keys, ([json, key]) => `"${key}":${json}`).join(",")}}`;
  }
}

/** A process in the form that the public model's UI reads. */
export function processJson(process: Process | undefined): string {
  return `{"serviceName":${quoteRepeated(process?.serviceName ?? "")},"tags":${tagsJson(process?.tags ?? [])}}`;
}

import type { Process } from "wire/api-v2";
import { ShownProcesses } from "../service/adjusters/clock-plan.ts";
import { TagSteps } from "./tag-steps.ts";
import { processJson } from "./trace-json.ts";

/**
 * JSON shared by answers: resources, and tags by list of keys. Stores return the same object for equal resources and
 * scopes, so each is written once. The cache keeps no resource alive, and needs a few megabytes for keys at most.
 */
export class SharedJson {
  readonly processes = new ShownProcesses();
  readonly steps = new TagSteps();
  readonly #processJson = new WeakMap<Process, string>();

  /** `processJson` with a cache. */
  readonly processJsonOf = (process: Process | undefined): string => {
    if (process === undefined) {
      return processJson(undefined);
    }
    let json = this.#processJson.get(process);
    if (json === undefined) {
      json = processJson(process);
      this.#processJson.set(process, json);
    }
    return json;
  };
}

import type { Process } from "wire/api-v2";
import { ShownProcesses } from "../service/adjusters/shown-processes.ts";
import { processJson } from "./process-keys.ts";
import { TagSteps } from "./rows-json/tag-steps.ts";

/**
 * What answers share: resources and lists of keys as JSON. A store that gives the same objects for equal resources and scopes, answer
 * after answer, has each made JSON once. It holds no resource that nobody else has, and of keys some
 * megabytes.
 */
export class SharedJson {
  readonly processes = new ShownProcesses();
  readonly steps = new TagSteps();
  readonly #processJson = new WeakMap<Process, string>();

  /** `processJson`, which is kept. */
  readonly processJsonOf = (process: Process | undefined): string => {
    if (process === undefined) return processJson(undefined);
    let json = this.#processJson.get(process);
    if (json === undefined) {
      json = processJson(process);
      this.#processJson.set(process, json);
    }
    return json;
  };
}

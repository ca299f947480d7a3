import { toApiV2Span } from "wire/api-v2/to-api-v2-span";
import type { Process } from "wire/api-v2-model";
import type { Resource, Span } from "wire/model";
import { hostOf } from "./clock-skew.ts";
import { withIpShown } from "./tag-adjusters.ts";
import { compareTags } from "./tag-order.ts";

/** The facts that adjusted spans of one resource share. */
export interface ShownProcess {
  readonly process: Process;
  /** Identifies the clock; "" is unknown. */
  readonly host: string;
}

/** The shown processes of spans. Each resource is converted once, and kept while something else holds it. */
export class ShownProcesses {
  readonly #known = new WeakMap<Resource, ShownProcess>();

  /** @param spanOf returns one of the resource's spans */
  of(resource: Resource, spanOf: () => Span): ShownProcess {
    let shown = this.#known.get(resource);
    if (shown === undefined) {
      const { process } = toApiV2Span({ ...spanOf(), attributes: [], events: [], links: [] });
      const tags = (process?.tags ?? []).map(withIpShown).sort(compareTags);
      const adjusted = { serviceName: process?.serviceName ?? "", tags };
      shown = { process: adjusted, host: hostOf(adjusted) };
      this.#known.set(resource, shown);
    }
    return shown;
  }
}

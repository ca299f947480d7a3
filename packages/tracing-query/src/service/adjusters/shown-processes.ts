import { type Process, toApiV2Span } from "wire/api-v2";
import type { Resource, Span } from "wire/model";
import { hostOf } from "./clock-skew.ts";
import { withIpShown } from "./ip-tags.ts";
import { compareTags } from "./tag-order.ts";

/** What spans of one resource share once they are adjusted. */
export interface ShownProcess {
  readonly process: Process;
  /** Names its clock; "" is unknown. */
  readonly host: string;
}

/** The processes of spans as they are shown; each resource is looked at once, for as long as somebody has it. */
export class ShownProcesses {
  readonly #known = new WeakMap<Resource, ShownProcess>();

  /** @param spanOf one of its spans */
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

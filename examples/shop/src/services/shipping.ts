import { SpanKind } from "@opentelemetry/api";
import type { ServiceDefinition } from "../service.ts";

export const shipping: ServiceDefinition = {
  name: "shipping",
  version: "0.9.4",
  routes: {
    "/ship": async ({ step, chance }) => {
      await step(
        "quote",
        SpanKind.INTERNAL,
        { "shipping.zone": chance.pick(["north", "south", "islands"]) },
        6,
      );
      await step("print label", SpanKind.INTERNAL, { "label.bytes": 48_213, "label.format": "pdf" }, 15);
      return { parcel: Math.floor(chance.next() * 1e6) };
    },
  },
};

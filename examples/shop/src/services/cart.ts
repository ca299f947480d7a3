import { SpanKind } from "@opentelemetry/api";
import type { ServiceDefinition } from "../service.ts";

export const cart: ServiceDefinition = {
  name: "cart",
  version: "2.0.7",
  routes: {
    "/cart": async ({ step, rest, span, chance }) => {
      span.setAttributes({ "user.id": rest, "cart.items": ["kettle", "lamp"], "cart.total": 93.9 });
      await step(
        "HGETALL cart",
        SpanKind.CLIENT,
        { "db.system.name": "redis", "db.operation.name": "HGETALL", "db.namespace": "0" },
        2,
        () => (chance.oneIn(60) ? new Error("redis: connection reset by peer") : undefined),
      );
      return { items: [1, 2] };
    },
  },
};

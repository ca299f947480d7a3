import { SpanKind } from "@opentelemetry/api";
import type { ServiceDefinition } from "../service.ts";

export const checkout: ServiceDefinition = {
  name: "checkout",
  version: "5.3.1",
  routes: {
    "/checkout": async ({ call, step, rest, span }) => {
      await call("cart", `/cart/${rest}`);
      await step("reserve stock", SpanKind.INTERNAL, { "stock.items": 2 }, 5);
      await call("payment", `/charge/${rest}`);
      await step(
        "INSERT orders",
        SpanKind.CLIENT,
        { "db.system.name": "postgresql", "db.operation.name": "INSERT", "db.collection.name": "orders" },
        9,
      );
      span.addEvent("order placed", { "order.currency": "EUR", "order.total": 93.9, "order.express": false });
      await step(
        "send orders",
        SpanKind.PRODUCER,
        {
          "messaging.system": "kafka",
          "messaging.destination.name": "orders",
          "messaging.batch.message_count": 1,
        },
        2,
      );
      return call("shipping", `/ship/${rest}`);
    },
  },
};

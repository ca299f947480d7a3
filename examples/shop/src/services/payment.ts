import { SpanKind } from "@opentelemetry/api";
import { type ServiceDefinition, ShopError } from "../service.ts";

export const payment: ServiceDefinition = {
  name: "payment",
  version: "4.8.0",
  routes: {
    "/charge": async ({ step, span, chance }) => {
      const region = chance.pick(["eu-1", "eu-2", "us-1"]);
      // One region is slow: something to find.
      const slow = region === "eu-2" && chance.oneIn(3);
      span.setAttributes({ "cloud.region": region, "payment.amount_cents": 9_390, "payment.retry": slow });
      await step(
        "check fraud",
        SpanKind.INTERNAL,
        { "fraud.score": Math.round(chance.next() * 1000) / 1000 },
        8,
      );
      await step(
        "POST /v1/charges",
        SpanKind.CLIENT,
        { "http.request.method": "POST", "server.address": "bank.example", "cloud.region": region },
        slow ? 450 : 35,
        () => (chance.oneIn(15) ? new ShopError(502, "card declined: do not honour") : undefined),
      );
      return { charged: true };
    },
  },
};

import { SpanKind } from "@opentelemetry/api";
import { type ServiceDefinition, ShopError } from "../service.ts";

/** The service that the shopper's browser calls. */
export const storefront: ServiceDefinition = {
  name: "storefront",
  version: "3.1.0",
  routes: {
    "/home": async ({ call, step }) => {
      const [products] = await Promise.all([call("catalog", "/products"), call("cart", "/cart/guest")]);
      await step("render home", SpanKind.INTERNAL, { "template.name": "home", "template.cached": true }, 3);
      return products;
    },
    "/product": async ({ call, step, rest, span }) => {
      span.setAttribute("product.id", Number(rest));
      const product = await call("catalog", `/product/${rest}`);
      await step(
        "render product",
        SpanKind.INTERNAL,
        { "template.name": "product", "template.cached": false },
        4,
      );
      return product;
    },
    "/order": async ({ call, rest, span }) => {
      if (rest === "") {
        throw new ShopError(400, "whose order?");
      }
      span.setAttribute("user.id", rest);
      return call("checkout", `/checkout/${rest}`);
    },
  },
};

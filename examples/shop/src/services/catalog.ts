import { SpanKind } from "@opentelemetry/api";
import { type ServiceDefinition, ShopError } from "../service.ts";

const products = [
  { id: 1, name: "kettle", cents: 3_490 },
  { id: 2, name: "lamp", cents: 5_900 },
  { id: 3, name: "rug", cents: 12_950 },
  { id: 4, name: "clock", cents: 2_195 },
];

const select = (table: string, rows: number) => ({
  "db.system.name": "postgresql",
  "db.operation.name": "SELECT",
  "db.collection.name": table,
  "db.response.returned_rows": rows,
});

export const catalog: ServiceDefinition = {
  name: "catalog",
  version: "1.14.2",
  routes: {
    "/products": async ({ step, span, chance }) => {
      const hit = !chance.oneIn(4);
      span.setAttribute("cache.hit", hit);
      await step(
        "GET products",
        SpanKind.CLIENT,
        { "db.system.name": "redis", "db.operation.name": "GET" },
        1,
      );
      if (!hit) {
        span.addEvent("cache miss", { "cache.key": "products", "cache.age_s": 61.5 });
        await step("SELECT products", SpanKind.CLIENT, select("products", products.length), 12);
      }
      return products;
    },
    "/product": async ({ step, rest }) => {
      const product = products.find(({ id }) => String(id) === rest);
      await step("SELECT products", SpanKind.CLIENT, select("products", product === undefined ? 0 : 1), 6);
      if (product === undefined) {
        throw new ShopError(404, `no product ${rest}`);
      }
      // The famous one query per row.
      for (let review = 0; review < 8; review++) {
        await step("SELECT reviews", SpanKind.CLIENT, select("reviews", 1), 1.5);
      }
      return product;
    },
  },
};

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** The mappings in the front door's config. */
interface Mapping {
  readonly input_regexp: string;
  readonly outputs: readonly [string];
}

const root = new URL("../../../", import.meta.url);
const config = readFileSync(new URL("packages/launcher/config/front-door.json", root), "utf8");
const { servers } = JSON.parse(config).apps.http;
const { mappings } = servers.front_door.routes
  .flatMap(({ handle }: { handle: { handler: string }[] }) => handle)
  .find(({ handler }: { handler: string }) => handler === "map") as {
  mappings: readonly Mapping[];
};

function routeOf(path: string): string {
  for (const { input_regexp: pattern, outputs } of mappings) {
    const match = new RegExp(pattern).exec(path);
    if (match !== null) {
      return outputs[0].replace(/\$(\d)/g, (_, group) => match[Number(group)] ?? "");
    }
  }
  return "no route";
}

test.each([
  ["/api/services", "/api/services"],
  ["/api/services/svc-46319116/operations", "/api/services/:service/operations"],
  ["/api/traces/0af7651916cd43dd", "/api/traces/:traceId"],
  ["/api/metrics/rates", "/api/metrics/rates"],
  ["/api/objectives/curve", "/api/objectives/curve"],
  ["/api/metrics/of-a-stranger", "/api/*"],
  ["/api/analysis/v1/percentiles/0af7651916cd43dd", "/api/analysis/v1/percentiles/:traceId"],
  ["/api/analysis/v1/attributes/span/customer.id/values", "/api/analysis/v1/attributes/:scope/:name/values"],
  ["/tempo/api/traces/0af7651916cd43dd", "/tempo/api/traces/:traceId"],
  ["/tempo/api/v2/search/tag/span.customer/values", "/tempo/api/v2/search/tag/:tag/values"],
  ["/tempo/of/a/stranger/0af7651916cd43dd", "/tempo/*"],
])("the front door names the span of %s after its route", (path, route) => {
  expect(routeOf(path)).toBe(route);
});

test.each(["docker/Serverfile", "deploy/kubernetes/Serverfile", "deploy/helm/tracing/files/Serverfile"])(
  "npm start and %s name routes alike, and trace no requests of the UI",
  (file) => {
    const text = readFileSync(new URL(file, root), "utf8");
    const lines = mappings.map(({ input_regexp: pattern, outputs }) => `\t\t\t~${pattern} ${outputs[0]}\n`);
    expect(text).toContain(`map {http.request.uri.path} {route} {\n${lines.join("")}\t\t}\n`);
    expect(text).toContain("\t\tpath /api/* /tempo/*\n\t\tnot header Referer *://{hostport}/*\n");
  },
);

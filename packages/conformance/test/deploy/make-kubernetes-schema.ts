/**
 * Writes kubernetes.schema.json from Kubernetes' own description of its API: only the kinds that deploy/kubernetes
 * uses, and without descriptions. The schema is strict: it refuses unknown fields, as `kubectl --validate=strict` does.
 *
 *   node packages/conformance/test/deploy/make-kubernetes-schema.ts <version> <api/openapi-spec/swagger.json of kubernetes/kubernetes>
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { kubernetesKinds } from "./kubernetes-schema.ts";

type Json = { [key: string]: unknown };

const swagger = z.object({
  definitions: z.record(z.string(), z.record(z.string(), z.unknown())),
});

/** Types that the API accepts in addition to the types in its description. */
const widened: Readonly<Record<string, Json>> = {
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": { type: ["string", "integer"] },
  "io.k8s.apimachinery.pkg.api.resource.Quantity": { type: ["string", "number"] },
};

/** @param isProperties true: the keys are names of fields, not words of the schema */
function strict(value: unknown, isProperties = false): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => strict(item));
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const kept = Object.entries(value)
    .filter(
      ([key]) =>
        isProperties || !(key.startsWith("x-") || ["description", "default", "format"].includes(key)),
    )
    .map(([key, child]) => [key, strict(child, !isProperties && key === "properties")] as const);
  const isObject = !isProperties && "properties" in value;
  return { ...Object.fromEntries(kept), ...(isObject ? { additionalProperties: false } : {}) };
}

const [version, source] = process.argv.slice(2);
if (source === undefined) {
  process.stderr.write("usage: make-kubernetes-schema.ts <version> <swagger.json>\n");
  process.exit(1);
}
const { definitions } = swagger.parse(JSON.parse(readFileSync(source, "utf8")));
const wanted = [...new Set(Object.values(kubernetesKinds))];
const found = new Map<string, unknown>();
for (let name = wanted.pop(); name !== undefined; name = wanted.pop()) {
  const definition = definitions[name];
  if (found.has(name) || definition === undefined) {
    continue;
  }
  const schema = widened[name] ?? strict(definition);
  found.set(name, schema);
  wanted.push(...[...JSON.stringify(schema).matchAll(/#\/definitions\/([^"]+)/g)].map(([, to]) => to ?? ""));
}
const comment = `Made by make-kubernetes-schema.ts of api/openapi-spec/swagger.json, Kubernetes ${version}, Copyright The Kubernetes Authors, Apache License 2.0.`;
const lines = [...found].sort().map(([name, schema]) => `${JSON.stringify(name)}: ${JSON.stringify(schema)}`);
writeFileSync(
  join(import.meta.dirname, "kubernetes.schema.json"),
  `{"$comment": ${JSON.stringify(comment)},\n"definitions": {\n${lines.join(",\n")}\n}}\n`,
);

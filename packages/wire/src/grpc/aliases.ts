/**
 * The gRPC packages with two names: the neutral name of this product, and Jaeger's name, which existing
 * clients use. Services, reflection and clients use this list.
 */
const publicPackages: readonly (readonly [ours: string, publicName: string])[] = [
  ["tracing.api_v2", "jaeger.api_v2"],
  ["tracing.api_v3", "jaeger.api_v3"],
  ["tracing.storage.v1", "jaeger.storage.v1"],
  ["tracing.storage.v2", "jaeger.storage.v2"],
];

/**
 * Jaeger's name for a package of this product, or for a symbol in such a package.
 * @param name "tracing.api_v2", "tracing.api_v2.QueryService", "tracing.api_v2.metrics.MetricFamily"
 * @returns undefined for a name of another project ("grpc.health.v1.Health"), which has no second name
 */
export function publicNameOf(name: string): string | undefined {
  const row = publicPackages.find(([ours]) => name === ours || name.startsWith(`${ours}.`));
  return row === undefined ? undefined : row[1] + name.slice(row[0].length);
}

/** The public name of a .proto file: "tracing/api_v2/model.proto" gives "jaeger/api_v2/model.proto". */
export function publicFileNameOf(fileName: string): string | undefined {
  const row = publicPackages.find(([ours]) => fileName.startsWith(`${ours.replaceAll(".", "/")}/`));
  return row === undefined ? undefined : row[1].replaceAll(".", "/") + fileName.slice(row[0].length);
}

/**
 * The table of gRPC packages with two names: our neutral name, and the public model's name that existing
 * clients use. Services, reflection and clients use this table.
 */
const publicPackages: readonly (readonly [ours: string, publicName: string])[] = [
  ["tracing.api_v2", "jaeger.api_v2"],
  ["tracing.api_v3", "jaeger.api_v3"],
  ["tracing.storage.v1", "jaeger.storage.v1"],
];

/**
 * The public model's name of one of our packages, or of a symbol inside a package.
 * @param name "tracing.api_v2", "tracing.api_v2.QueryService", "tracing.api_v2.metrics.MetricFamily"
 * @returns undefined when the name is not ours ("grpc.health.v1.Health")
 */
export function publicNameOf(name: string): string | undefined {
  const row = publicPackages.find(([ours]) => name === ours || name.startsWith(`${ours}.`));
  return row === undefined ? undefined : row[1] + name.slice(row[0].length);
}

/** The same for the name of a .proto file: "tracing/api_v2/model.proto" gives "jaeger/api_v2/model.proto". */
export function publicFileNameOf(fileName: string): string | undefined {
  const row = publicPackages.find(([ours]) => fileName.startsWith(`${ours.replaceAll(".", "/")}/`));
  return row === undefined ? undefined : row[1].replaceAll(".", "/") + fileName.slice(row[0].length);
}

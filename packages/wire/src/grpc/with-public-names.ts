import type { ServiceDefinition, UntypedServiceImplementation } from "@grpc/grpc-js";
import { publicNameOf } from "./aliases.ts";

/** The full name of a service ("tracing.api_v2.QueryService"), as used in reflection, health checks and paths. */
export function rpcServiceName(definition: ServiceDefinition): string {
  const [method] = Object.values(definition);
  return method?.path.split("/")[1] ?? "";
}

/**
 * A service under its own name, and under Jaeger's name if it has one. Each result must be added to the
 * server with the same handlers. Only the paths differ; the messages have the same bytes.
 */
export function withPublicNames<Implementation extends UntypedServiceImplementation>(
  definition: ServiceDefinition<Implementation>,
): ServiceDefinition<Implementation>[] {
  const name = rpcServiceName(definition);
  const publicName = publicNameOf(name);
  if (publicName === undefined) {
    return [definition];
  }
  const methods = Object.entries(definition).map(([key, method]) => [
    key,
    { ...method, path: `/${publicName}${method.path.slice(name.length + 1)}` },
  ]);
  return [definition, Object.fromEntries(methods) as ServiceDefinition<Implementation>];
}

import { Registry } from "@prometheus-io/client";
import { type HttpHandler, type HttpMatcher, httpHandlers, httpMatchers } from "http-engine/handler";
import { createLogger } from "lifecycle";
import type { JsonValue } from "server-core/json/json-value";
import { ConfigContext } from "server-core/modules/config-context";
import { ConfigScope } from "server-core/modules/config-scope";
import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";
import { Server } from "../server.ts";

/**
 * For tests: loads one module of the standard list, with its config checked as in a whole document.
 * @param apps the other apps of the document
 */
export async function provisionModule<Instance extends ModuleInstance>(
  namespace: ModuleNamespace<Instance>,
  name: string,
  config: unknown,
  apps: Readonly<Record<string, JsonValue>> = {},
): Promise<Instance> {
  const { services } = await Server.create({
    environment: { HOME: "/nowhere" },
    log: createLogger({ name: "server", level: "fatal", encoding: "json" }),
    metrics: new Registry(),
    onStopRequest: () => {},
  });
  const scope = new ConfigScope(services);
  scope.appConfigs = new Map(Object.entries(apps));
  const module = await new ConfigContext(scope, "/config/test").load(
    namespace,
    name,
    config as JsonValue,
    "0",
  );
  await scope.validate();
  return module;
}

/** For tests: a matcher of the standard list. */
export function provisionMatcher(name: string, config: unknown): Promise<HttpMatcher> {
  return provisionModule(httpMatchers, name, config);
}

/** For tests: a handler of the standard list. @param apps the other apps of the document */
export function provisionHandler(
  name: string,
  config: unknown,
  apps: Readonly<Record<string, JsonValue>> = {},
): Promise<HttpHandler> {
  return provisionModule(httpHandlers, name, config, apps);
}

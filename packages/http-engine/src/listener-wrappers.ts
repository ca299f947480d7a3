import { errorWithin, ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import type { ModuleNamespace } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import { z } from "zod";
import type { ConnectionWrapper, ListenerWrappers } from "./connection-wrapper.ts";
import {
  type ProxyProtocolRules,
  proxyProtocolRules,
  proxyProtocolSchema,
} from "./proxy-protocol/proxy-policy.ts";

const defaultRedirectBytes = 1024 * 1024;

const httpRedirectSchema = z.strictObject({
  wrapper: z.literal("http_redirect"),
  max_header_bytes: z
    .int()
    .min(0)
    .nullish()
    .describe("Bytes that the head of a plain request may have; 0 for the usual (1 MiB)."),
});

const tlsMarkerSchema = z.strictObject({ wrapper: z.literal("tls") });

/** Modules that read bytes of a connection before HTTP and TLS do. */
export const connectionWrappers: ModuleNamespace<ConnectionWrapper> = { prefix: "caddy.listeners" };

const moduleSchema = z
  .looseObject({ wrapper: z.literal("layer4") })
  .meta({ moduleNamespace: connectionWrappers.prefix, moduleKey: "wrapper" });

/** Layers that connections pass before requests are read. Source: Caddy, `listener_wrappers` */
export const listenerWrappersSchema = z
  .array(
    z
      .looseObject({
        wrapper: z.enum(["http_redirect", "layer4", "proxy_protocol", "tls"], {
          error: (issue) =>
            `unsupported listener wrapper ${JSON.stringify(issue.input)}: one of http_redirect, layer4, proxy_protocol, tls`,
        }),
      })
      .pipe(
        z.discriminatedUnion("wrapper", [
          httpRedirectSchema,
          moduleSchema,
          proxyProtocolSchema,
          tlsMarkerSchema,
        ]),
      ),
  )
  .describe(
    "`proxy_protocol` takes the client's address from a proxy in front, `http_redirect` sends plain requests to https; both stand before `tls`. `layer4` routes connections by their first bytes: before `tls` as they come, behind it what is inside.",
  );

export type ListenerWrappersConfig = z.infer<typeof listenerWrappersSchema>;

function refuseOrder(text: string): never {
  throw new ServerError("MODULE_CONFIG", `listener_wrappers: ${text}`);
}

/**
 * @param path position of the wrappers below the app
 * @throws ServerError MODULE_CONFIG, or the error of a module
 */
export async function loadListenerWrappers(
  config: ListenerWrappersConfig | null | undefined,
  context: ModuleContext,
  path: string,
): Promise<ListenerWrappers> {
  let proxyProtocol: ProxyProtocolRules | undefined;
  let redirectBytes: number | undefined;
  const layers = { beforeTls: [] as ConnectionWrapper[], behindTls: [] as ConnectionWrapper[] };
  // Without the entry `tls`, TLS comes first. Source: Caddy, `tlsPlaceholderWrapper`
  const isMarked = config?.some(({ wrapper }) => wrapper === "tls") === true;
  let isBehindTls = false;
  for (const [position, each] of (config ?? []).entries()) {
    if (each.wrapper === "tls") {
      isBehindTls = true;
    } else if (each.wrapper === "layer4") {
      const place = `${path}/${position}`;
      try {
        const layer = await context.loadInline(connectionWrappers, "wrapper", each as JsonValue, place);
        (isBehindTls || !isMarked ? layers.behindTls : layers.beforeTls).push(layer);
      } catch (error) {
        throw errorWithin(`listener_wrappers: position ${position}`, error);
      }
    } else if (isBehindTls) {
      refuseOrder(`${each.wrapper} stands before tls, not behind it`);
    } else if (layers.beforeTls.length > 0 && each.wrapper === "proxy_protocol") {
      refuseOrder("proxy_protocol stands before layer4, which has a handler of the same name");
    } else if (each.wrapper === "proxy_protocol") {
      proxyProtocol ??= proxyProtocolRules(each);
    } else {
      redirectBytes ??= each.max_header_bytes || defaultRedirectBytes;
    }
  }
  return { proxyProtocol, redirectBytes, ...layers };
}

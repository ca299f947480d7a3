import type { Socket } from "node:net";
import { errorWithin, ServerError } from "server-core/errors";
import type { JsonValue } from "server-core/json/json-value";
import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";
import type { ModuleContext } from "server-core/modules/module-context";
import { z } from "zod";
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

/** A layer of connections that a module brings. */
export interface ConnectionWrapper extends ModuleInstance {
  /**
   * Takes a connection that is paused, with all its bytes.
   * @param next gets it, or one over it, for the layers that follow; of a connection that is served or closed nothing is heard
   */
  wrap(socket: Socket, next: (socket: Socket) => void): void;
}

/** Modules that read bytes of a connection before HTTP and TLS do. */
export const connectionWrappers: ModuleNamespace<ConnectionWrapper> = { prefix: "caddy.listeners" };

const moduleSchema = z
  .looseObject({ wrapper: z.literal("layer4") })
  .meta({ moduleNamespace: connectionWrappers.prefix, moduleKey: "wrapper" });

/** Layers that connections pass before requests are read. Source: the public model, `listener_wrappers` */
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

/** The work of wrappers on connections, in order. */
export interface ListenerWrappers {
  /** Rules for PROXY protocol headers; undefined: none is expected. */
  readonly proxyProtocol: ProxyProtocolRules | undefined;
  /**
   * Largest head, in bytes, of a plain request on a port of TLS that is redirected to https; undefined: it is
   * refused.
   */
  readonly redirectBytes: number | undefined;
  /** Layers between the PROXY protocol and TLS. */
  readonly beforeTls: readonly ConnectionWrapper[];
  /** Layers between TLS and requests. */
  readonly behindTls: readonly ConnectionWrapper[];
}

function refuseOrder(text: string): never {
  throw new ServerError("MODULE_CONFIG", `listener_wrappers: ${text}`);
}

/**
 * @param path where the wrappers stand below the app
 * @throws ServerError MODULE_CONFIG, or what a module throws
 */
export async function loadListenerWrappers(
  config: ListenerWrappersConfig | null | undefined,
  context: ModuleContext,
  path: string,
): Promise<ListenerWrappers> {
  let proxyProtocol: ProxyProtocolRules | undefined;
  let redirectBytes: number | undefined;
  const layers = { beforeTls: [] as ConnectionWrapper[], behindTls: [] as ConnectionWrapper[] };
  // Without the mark TLS comes first. Source: the public model, `tlsPlaceholderWrapper`
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

/** Gives a connection to each layer, then to `last`. @param layers in order */
export function wrapConnection(
  socket: Socket,
  layers: readonly ConnectionWrapper[],
  last: (socket: Socket) => void,
): void {
  const [first, ...others] = layers;
  if (first === undefined) {
    last(socket);
    return;
  }
  first.wrap(socket, (next) => wrapConnection(next, others, last));
}

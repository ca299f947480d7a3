import { ServerError } from "server-core/errors";
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

/** Layers that connections pass before requests are read. Source: the public model, `listener_wrappers` */
export const listenerWrappersSchema = z
  .array(
    z
      .looseObject({
        wrapper: z.enum(["http_redirect", "proxy_protocol", "tls"], {
          error: (issue) =>
            `unsupported listener wrapper ${JSON.stringify(issue.input)}: one of http_redirect, proxy_protocol, tls`,
        }),
      })
      .pipe(z.discriminatedUnion("wrapper", [httpRedirectSchema, proxyProtocolSchema, tlsMarkerSchema])),
  )
  .describe(
    "`proxy_protocol` takes the client's address from a proxy in front, `http_redirect` sends plain requests to https; both stand before `tls`.",
  );

export type ListenerWrappersConfig = z.infer<typeof listenerWrappersSchema>;

/** The work of wrappers on connections, in order. */
export interface ListenerWrappers {
  /** Rules for PROXY protocol headers; undefined: none is expected. */
  readonly proxyProtocol: ProxyProtocolRules | undefined;
  /** Bytes of the head of a plain request on a port of TLS, which is sent to https; undefined: it is refused. */
  readonly redirectBytes: number | undefined;
}

/** @throws ServerError MODULE_CONFIG */
export function loadListenerWrappers(config: ListenerWrappersConfig | null | undefined): ListenerWrappers {
  let proxyProtocol: ProxyProtocolRules | undefined;
  let redirectBytes: number | undefined;
  let isBehindTls = false;
  for (const each of config ?? []) {
    if (each.wrapper === "tls") {
      isBehindTls = true;
    } else if (isBehindTls) {
      throw new ServerError(
        "MODULE_CONFIG",
        `listener_wrappers: ${each.wrapper} stands before tls, not behind it`,
      );
    } else if (each.wrapper === "proxy_protocol") {
      proxyProtocol ??= proxyProtocolRules(each);
    } else {
      redirectBytes ??= each.max_header_bytes || defaultRedirectBytes;
    }
  }
  return { proxyProtocol, redirectBytes };
}

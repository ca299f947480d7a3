import { openServerTls } from "lifecycle";
import type { CollectorOptions } from "../options/collector-options.ts";
import { Cors } from "./cors.ts";
import { openGrpcApiV2 } from "./grpc-api-v2.ts";
import type { GrpcSettings } from "./grpc-listener.ts";
import type { HttpTimeouts } from "./http-listener.ts";
import { openHttpThrift } from "./http-thrift.ts";
import { openOtlpGrpc } from "./otlp-grpc.ts";
import { openOtlpHttp } from "./otlp-http.ts";
import type { Receiver, ReceiverContext } from "./receiver.ts";
import { openZipkin } from "./zipkin.ts";

/** Opens one receiver. @throws StartError */
export type ReceiverOpener = (context: ReceiverContext) => Promise<Receiver>;

/** List of all receivers; the options decide which of them are opened. */
export function receiverOpeners(options: CollectorOptions): readonly ReceiverOpener[] {
  return [
    ...(options["collector.otlp.enabled"] ? [otlpGrpcOpener(options), otlpHttpOpener(options)] : []),
    grpcApiV2Opener(options),
    httpThriftOpener(options),
    ...zipkinOpeners(options),
  ];
}

// Each opener reads its options only when it is called, so that a certificate is read only for an opened port.
function otlpGrpcOpener(options: CollectorOptions): ReceiverOpener {
  return async (context) =>
    await openOtlpGrpc(
      {
        address: options["collector.otlp.grpc.host-port"],
        what: "OTLP over gRPC",
        flag: "collector.otlp.grpc.host-port",
        tls: await openServerTls(options, "collector.otlp.grpc", context.log),
      },
      grpcSettings(options, "collector.otlp.grpc"),
      context,
    );
}

function otlpHttpOpener(options: CollectorOptions): ReceiverOpener {
  return async (context) =>
    await openOtlpHttp(
      {
        address: options["collector.otlp.http.host-port"],
        what: "OTLP over HTTP",
        flag: "collector.otlp.http.host-port",
        tls: await openServerTls(options, "collector.otlp.http", context.log),
      },
      {
        timeouts: httpTimeouts(options, "collector.otlp.http"),
        cors: corsOf(options, "collector.otlp.http", context),
      },
      context,
    );
}

function grpcApiV2Opener(options: CollectorOptions): ReceiverOpener {
  return async (context) =>
    await openGrpcApiV2(
      {
        address: options["collector.grpc-server.host-port"],
        what: "api_v2 over gRPC",
        flag: "collector.grpc-server.host-port",
        tls: await openServerTls(options, "collector.grpc", context.log),
      },
      grpcSettings(options, "collector.grpc-server"),
      context,
    );
}

function httpThriftOpener(options: CollectorOptions): ReceiverOpener {
  return async (context) =>
    await openHttpThrift(
      {
        address: options["collector.http-server.host-port"],
        what: "Thrift over HTTP",
        flag: "collector.http-server.host-port",
        tls: await openServerTls(options, "collector.http", context.log),
      },
      httpTimeouts(options, "collector.http-server"),
      context,
    );
}

/** Without an address there is no opener: by default Jaeger opens no port for Zipkin. */
function zipkinOpeners(options: CollectorOptions): ReceiverOpener[] {
  const address = options["collector.zipkin.host-port"];
  if (address === undefined) {
    return [];
  }
  const open: ReceiverOpener = async (context) =>
    await openZipkin(
      {
        address,
        what: "Zipkin over HTTP",
        flag: "collector.zipkin.host-port",
        tls: await openServerTls(options, "collector.zipkin", context.log),
      },
      {
        // Jaeger has no such options for Zipkin, so the limits of Thrift over HTTP apply.
        timeouts: httpTimeouts(options, "collector.http-server"),
        cors: corsOf(options, "collector.zipkin", context),
        keepAlive: options["collector.zipkin.keep-alive"],
      },
      context,
    );
  return [open];
}

/** Limits of a gRPC listener. @param prefix prefix of its options */
function grpcSettings(
  options: CollectorOptions,
  prefix: "collector.otlp.grpc" | "collector.grpc-server",
): GrpcSettings {
  return {
    maxMessageBytes: options[`${prefix}.max-message-size`],
    maxConnectionAgeMs: options[`${prefix}.max-connection-age`],
    maxConnectionAgeGraceMs: options[`${prefix}.max-connection-age-grace`],
  };
}

/** Time limits of an HTTP listener in milliseconds; 0: no limit. @param prefix prefix of its options */
function httpTimeouts(
  options: CollectorOptions,
  prefix: "collector.otlp.http" | "collector.http-server",
): HttpTimeouts {
  return {
    idleMs: options[`${prefix}.idle-timeout`],
    readMs: options[`${prefix}.read-timeout`],
    readHeaderMs: options[`${prefix}.read-header-timeout`],
  };
}

/** @returns undefined when no origin is allowed; browsers then refuse to send spans from web pages */
function corsOf(
  options: CollectorOptions,
  prefix: "collector.otlp.http" | "collector.zipkin",
  { log }: ReceiverContext,
): Cors | undefined {
  const origins = options[`${prefix}.cors.allowed-origins`];
  const headers = options[`${prefix}.cors.allowed-headers`];
  if (origins.length === 0 && headers.length > 0) {
    log.warn(`--${prefix}.cors.allowed-headers has no effect without --${prefix}.cors.allowed-origins`);
  }
  return Cors.of(origins, headers);
}

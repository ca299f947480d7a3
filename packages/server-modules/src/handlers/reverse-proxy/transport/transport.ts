import type { Duplex, Readable } from "node:stream";
import type { Exchange } from "http-engine/exchange";
import type { HeaderList } from "http-engine/header-list";
import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";
import type { DialAddress } from "./dial-address.ts";

/** Header fields as HTTP/1 text, encoded by the first request that uses them. */
export interface WireText {
  /** Encoded fields; "" before the first use. */
  text: string;
  /**
   * The same fields, with a request for gzip on the client's behalf. null: gzip must not be requested; undefined: not
   * determined yet.
   */
  asking?: { readonly headers: HeaderList; readonly wireText: WireText } | null | undefined;
}

export interface UpstreamRequest {
  /** Method for the upstream. */
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Fields for the upstream, without the fields that frame the body. */
  readonly headers: HeaderList;
  /** Encoded fields, shared by requests with the same {@link headers}. */
  readonly wireText?: WireText | undefined;
  /** A stream, or bytes when the whole body is known; undefined without a body. */
  readonly body: Readable | Uint8Array | undefined;
  /** Body length in bytes; undefined when unknown. */
  readonly bodyLength: number | undefined;
  /** The protocol to which the request asks to switch; "" for an ordinary request. */
  readonly upgrade: string;
  /** True when a different upstream could serve the request. An upstream that keeps refusing is then not retried. */
  readonly othersLeft?: boolean | undefined;
  /** The client's exchange; undefined for a request of the server itself, such as a health check. */
  readonly exchange: Exchange | undefined;
}

/** Stage that an attempt had reached when it failed; it determines whether another attempt may follow. */
export type CallStage =
  | "dial" // nothing was sent
  | "sent" // the request went out at least in part, no response began
  | "response"; // the response began

/**
 * Receives the response of one call. Order of the calls: `sent`, any number of `interim`, `head`, any number of `data`,
 * `end`; or `switched` instead of `head`. Hop-by-hop fields are removed. `failed` may come at any time; no call follows
 * `end`, `switched` or `failed`.
 */
export interface ResponseReceiver {
  /**
   * Called when the request is being sent: from now on the upstream may have seen it. It is called again for each
   * repetition.
   */
  sent(): void;
  /** Called for a 1xx response, such as 103; the final response follows. */
  interim(status: number, headers: HeaderList): void;
  /**
   * @param version HTTP version of the response: `1.1` or `2.0`
   * @param good true when the fields were parsed from an HTTP/1 connection, so they are valid for HTTP/1. Default:
   * false
   */
  head(status: number, headers: HeaderList, version: string, good?: boolean): void;
  /** @returns false to pause the call until `resume` */
  data(chunk: Buffer): boolean;
  /**
   * Read after `data`: true when the receiver still needs the chunk after the next chunk arrives. Absent means true.
   */
  readonly keepsChunk?: boolean;
  /** Called when all received data was delivered: the next data may take long. */
  handedOver?(): void;
  /** The response is complete. @param trailers fields after the body */
  end(trailers: HeaderList): void;
  /** Called when the upstream switched protocols. @param head first bytes of the new protocol */
  switched(status: number, headers: HeaderList, socket: Duplex, head: Buffer): void;
  /** @param timedOut the upstream did not answer in time */
  failed(error: Error, stage: CallStage, timedOut: boolean): void;
}

/** A running call. */
export interface UpstreamCall {
  /** Resumes reading after the client has read the sent data. */
  resume(): void;
  /** Aborts the call; the receiver gets no more events. */
  abort(): void;
}

/** Sends requests to upstreams. One transport serves all upstreams of a proxy. */
export interface Transport extends ModuleInstance {
  /**
   * Sends a request. A failure of the upstream is reported to the receiver, and never thrown.
   * @throws ServerError HTTP_BAD_REQUEST for a request that cannot be sent
   */
  call(dial: DialAddress, request: UpstreamRequest, receiver: ResponseReceiver): UpstreamCall;
  /** `https` if the transport uses TLS. Health checks need this value. */
  readonly scheme?: "http" | "https";
  /** True when bodies wait for the upstream's `100 Continue`; then `Expect` is also forwarded from HTTP/2 clients. */
  readonly handsOnExpect?: boolean;
  /** True when bodies of unknown length must be read completely before they are sent. */
  readonly needsLength?: boolean;
}

/** Namespace of transport modules: `http`, `fastcgi`, and modules of users. */
export const transports: ModuleNamespace<Transport> = { prefix: "http.reverse_proxy.transport" };

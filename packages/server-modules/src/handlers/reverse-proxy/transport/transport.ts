import type { Duplex, Readable } from "node:stream";
import type { Exchange } from "http-engine/exchange";
import type { HeaderList } from "http-engine/header-list";
import type { ModuleInstance, ModuleNamespace } from "server-core/modules/module";
import type { DialAddress } from "./dial-address.ts";

/** Fields as HTTP/1 text, made by the first request that has them. */
export interface WireText {
  /** "" until it is made. */
  text: string;
  /**
   * The same fields, with one that asks for gzip on the client's behalf; null where there must be none, undefined
   * until it is known.
   */
  asking?: { readonly headers: HeaderList; readonly wireText: WireText } | null | undefined;
}

/** A request as it goes to an upstream. */
export interface UpstreamRequest {
  /** Method for the upstream. */
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Scheme of the client: `http` or `https`. A transport that sends a scheme (HTTP/2) sends its own. */
  readonly headers: HeaderList;
  /** Shared by requests that have the same {@link headers}. */
  readonly wireText?: WireText | undefined;
  /** Undefined when there is none; bytes when it is known whole. */
  readonly body: Readable | Uint8Array | undefined;
  /** Body length in bytes; undefined when unknown. */
  readonly bodyLength: number | undefined;
  /** The protocol to switch to; "" for none. */
  readonly upgrade: string;
  /** True when another upstream could take the request. Then an upstream that keeps refusing is not retried. */
  readonly othersLeft?: boolean | undefined;
  /** The client's exchange; undefined for a request of the server itself, such as a health check. */
  readonly exchange: Exchange | undefined;
}

/** How far a try came before it failed: decides whether another may follow. */
export type CallStage =
  | "dial" // nothing was sent
  | "sent" // the request went out at least in part, no response began
  | "response"; // the response began

/**
 * Takes what comes back of one call. Order: `sent`, any number of `interim`, `head`, any number of `data`, `end`;
 * or `switched` instead of `head`. Fields are without hop-by-hop fields. `failed` may come
 * at any time; nothing after `end`, `switched` or `failed`.
 */
export interface ResponseReceiver {
  /** The request is being sent: from now on the upstream may have seen it. Called again for each repeat. */
  sent(): void;
  /** An answer of class 1xx, such as 103; the final one follows. */
  interim(status: number, headers: HeaderList): void;
  /**
   * @param version `1.1`, `2.0`
   * @param good whether the fields were read off a connection of HTTP/1: then they can stand in another one (false)
   */
  head(status: number, headers: HeaderList, version: string, good?: boolean): void;
  /** @returns false to pause the call until `resume` */
  data(chunk: Buffer): boolean;
  /** Asked after `data`: whether the chunk is needed for longer than until the next one. Absent: it is. */
  readonly keepsChunk?: boolean;
  /** All that came so far was told: what comes next may take its time. */
  handedOver?(): void;
  /** The answer is complete. @param trailers fields behind the body */
  end(trailers: HeaderList): void;
  /** The upstream switched protocols. @param head what came right after the answer */
  switched(status: number, headers: HeaderList, socket: Duplex, head: Buffer): void;
  /** @param timedOut the upstream did not answer in time */
  failed(error: Error, stage: CallStage, timedOut: boolean): void;
}

/** A running call. */
export interface UpstreamCall {
  /** Resumes reading after the client has read the sent data. */
  resume(): void;
  /** Gives it up; the receiver hears nothing more. */
  abort(): void;
}

/** Carries requests to upstreams. One serves all upstreams of a proxy. */
export interface Transport extends ModuleInstance {
  /**
   * Sends a request. A failure of the upstream goes to the receiver, and is never thrown.
   * @throws ServerError HTTP_BAD_REQUEST for a request that cannot be sent at all
   */
  call(dial: DialAddress, request: UpstreamRequest, receiver: ResponseReceiver): UpstreamCall;
  /** `https` where it speaks TLS: for health checks. */
  readonly scheme?: "http" | "https";
  /** Bodies wait for the upstream's `100 Continue`, so `Expect` goes on from HTTP/2, too. */
  readonly handsOnExpect?: boolean;
  /** Whether bodies of unknown length must be read before they are sent. */
  readonly needsLength?: boolean;
}

/** Namespace of transport modules: `http`, `fastcgi`, and modules of users. */
export const transports: ModuleNamespace<Transport> = { prefix: "http.reverse_proxy.transport" };

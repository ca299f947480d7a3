import type { HeaderList } from "http-engine/header-list";
import { messageOf } from "server-core/errors";
import { bufferOfText } from "server-core/uri/text-of-bytes";
import type { DialAddress } from "../transport/dial-address.ts";
import type { ResponseReceiver, Transport, UpstreamCall, UpstreamRequest } from "../transport/transport.ts";

export interface HealthRequest {
  /** Address to check. */
  readonly dial: DialAddress;
  /** Method. Default of the config: GET. */
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Header fields, including `Host`. */
  readonly headers: HeaderList;
  /** Body; "" for none. */
  readonly body: string;
  /** Timeout in milliseconds, for dialing and the whole response. */
  readonly timeoutMs: number;
  /** Maximum number of body bytes that are kept; further bytes are not read. */
  readonly maxBytes: number;
}

/** The parts of a response that decide a check. */
export interface HealthAnswer {
  readonly status: number;
  readonly headers: HeaderList;
  /** Beginning of the body, up to the configured limit. */
  readonly body: string;
}

/** Sends a health request. @throws Error with the reason why there is no response */
export function askHealth(transport: Transport, request: HealthRequest): Promise<HealthAnswer> {
  return new Promise((resolve, reject) => {
    let status = 0;
    let fields: HeaderList = [];
    let call: UpstreamCall | undefined;
    const chunks: Buffer[] = [];
    let bytes = 0;
    const fail = (error: unknown): void => {
      clearTimeout(timer);
      reject(new Error(messageOf(error), { cause: error }));
    };
    const timer = setTimeout(() => {
      call?.abort();
      fail(new Error(`no answer in ${request.timeoutMs} ms`));
    }, request.timeoutMs);
    const finish = (): void => {
      clearTimeout(timer);
      const body = Buffer.concat(chunks, bytes).subarray(0, request.maxBytes).toString("utf8");
      resolve({ status, headers: fields, body });
    };
    const receiver: ResponseReceiver = {
      sent() {},
      interim() {},
      head(received, headers) {
        status = received;
        fields = headers;
      },
      data(chunk) {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes >= request.maxBytes) {
          call?.abort();
          finish();
        }
        return true;
      },
      end: finish,
      switched(_status, _headers, socket) {
        socket.destroy();
        fail(new Error("the upstream switched protocols"));
      },
      failed: fail,
    };
    try {
      call = transport.call(request.dial, upstreamRequestOf(request), receiver);
    } catch (error) {
      // The request cannot be sent, so everything is released.
      fail(error);
    }
  });
}

function upstreamRequestOf({ method, target, headers, body }: HealthRequest): UpstreamRequest {
  return {
    method,
    target,
    headers,
    body: body === "" ? undefined : bufferOfText(body),
    bodyLength: undefined,
    upgrade: "",
    exchange: undefined,
  };
}

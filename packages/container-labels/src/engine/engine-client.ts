import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { readWithin } from "server-core/net/read-within";
import { z } from "zod";
import type { EngineAddress } from "./engine-address.ts";

/**
 * Maximum number of bytes of an answer. A longer answer is an error. An engine with thousands of containers answers
 * with some megabytes.
 */
const maxAnswerBytes = 64 * 1024 * 1024;
/** Maximum number of bytes of one event, which is a line of JSON. */
const maxEventBytes = 1024 * 1024;
/**
 * Timeout of one request in milliseconds. The event stream has no timeout, because it lasts as long as the engine
 * runs.
 */
const timeoutMs = 30_000;

const texts = z.record(z.string(), z.string()).nullish();

/** Addresses of a container in one network; "" when the container has no address of a kind. */
const endpointSchema = z.object({
  NetworkID: z.string().optional(),
  IPAddress: z.string().optional(),
  GlobalIPv6Address: z.string().optional(),
});

const networksSchema = z.object({
  Networks: z.record(z.string(), endpointSchema.nullable()).nullish(),
});

const containerSchema = z.looseObject({
  Id: z.string(),
  Names: z.array(z.string()).nullish(),
  Labels: texts,
  NetworkSettings: networksSchema.nullish(),
});

const inspectedSchema = z.looseObject({ Id: z.string(), NetworkSettings: networksSchema.nullish() });

/** An event of the engine. `Type` is `container` or `network`; `Action` is the kind of event, such as `start`. */
const eventSchema = z.looseObject({
  Type: z.string().optional(),
  Action: z.string().optional(),
});

/** A container in a list of the engine: the fields that this package reads, and all other fields for templates. */
export type ListedContainer = z.output<typeof containerSchema>;
/** Id and addresses of a container in a network. */
export type EngineEndpoint = z.output<typeof endpointSchema>;
/** The engine's answer for a single container. Labels are not read from this answer. */
export type InspectedContainer = z.output<typeof inspectedSchema>;
export type EngineEvent = z.output<typeof eventSchema>;

/** An answer of the engine with a status other than 200. */
class EngineRefusal extends Error {
  override readonly name = "EngineRefusal";
  readonly status: number;

  constructor(path: string, status: number, text: string) {
    super(`GET ${path} was answered ${status}: ${text}`);
    this.status = status;
  }
}

/** Client of Docker's API, which podman also has. Source: Docker Engine API 1.41 */
export class EngineClient {
  readonly #address: EngineAddress;
  /** Version prefix of paths, such as `/v1.41`; "" for the engine's newest version. */
  readonly #version: string;

  constructor(address: EngineAddress, version = "") {
    this.#address = address;
    this.#version = version === "" ? "" : `/v${version.replace(/^v/, "")}`;
  }

  /** Address of the engine, for messages. */
  get text(): string {
    return this.#address.text;
  }

  /** @param all true: also stopped containers. @throws Error */
  listContainers(all: boolean): Promise<ListedContainer[]> {
    return this.#read(`/containers/json?all=${all ? 1 : 0}`, z.array(containerSchema));
  }

  /** @returns undefined when the engine has no such container. @throws Error */
  async inspectContainer(id: string): Promise<InspectedContainer | undefined> {
    try {
      return await this.#read(`/containers/${encodeURIComponent(id)}/json`, inspectedSchema);
    } catch (error) {
      if (error instanceof EngineRefusal && error.status === 404) {
        return undefined;
      }
      throw error;
    }
  }

  /**
   * Yields events from now on, until the engine ends the stream or the signal is aborted. Each line of the answer is
   * one event. @throws Error
   */
  async *events(signal: AbortSignal): AsyncGenerator<EngineEvent> {
    const filters = encodeURIComponent(JSON.stringify({ type: ["container", "network"] }));
    const response = await this.#ask(`/events?filters=${filters}`, signal);
    let rest = Buffer.alloc(0);
    for await (const chunk of response as AsyncIterable<Buffer>) {
      rest = Buffer.concat([rest, chunk]);
      for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10)) {
        const line = rest.subarray(0, end).toString().trim();
        rest = rest.subarray(end + 1);
        if (line !== "") {
          yield eventSchema.parse(JSON.parse(line));
        }
      }
      if (rest.length > maxEventBytes) {
        throw new Error(`an event is over the limit of ${maxEventBytes} bytes`);
      }
    }
  }

  /** Sends a request and parses the JSON answer. @throws Error for a refusal, or for an answer of another shape */
  async #read<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    const response = await this.#ask(path, AbortSignal.timeout(timeoutMs));
    const body = await readWithin(response, maxAnswerBytes);
    const found = schema.safeParse(JSON.parse(body.toString()));
    if (!found.success) {
      throw new Error(`the answer to GET ${path} is not that of an engine: ${z.prettifyError(found.error)}`);
    }
    return found.data;
  }

  /** Sends a request. @throws Error for an answer with an error status */
  async #ask(path: string, signal: AbortSignal): Promise<IncomingMessage> {
    const { options, isTls } = this.#address;
    const send = isTls ? httpsRequest : httpRequest;
    // The engine accepts any host. Without this header Node would send the path of the socket.
    const headers = { Host: options.host ?? "localhost", Accept: "application/json" };
    const request = send({ ...options, path: `${this.#version}${path}`, headers, signal });
    request.end();
    const [response] = (await once(request, "response")) as [IncomingMessage];
    if (response.statusCode !== 200) {
      const body = await readWithin(response, maxAnswerBytes).catch(() => Buffer.alloc(0));
      throw new EngineRefusal(path, response.statusCode ?? 0, body.toString().slice(0, 300).trim());
    }
    return response;
  }
}

import { CliError } from "./cli-error.ts";

/** Maximum number of characters of one event. A longer event is an error. */
const maxEvent = 16 * 1024 * 1024;

/**
 * One event. The lines `event: spans` and `data: {…}`, then a blank line, become `{ event: "spans", data: "{…}" }`.
 * Source: WHATWG HTML, "Server-sent events"
 */
export interface ServerSentEvent {
  /** The field `event`; `message` when the stream names none. */
  readonly event: string;
  /** The lines of the field `data`, joined with line breaks. */
  readonly data: string;
}

/**
 * Parses the lines before a blank line to an event. Comments, which keep a connection open, and fields such as `id`
 * give no event: then the result is undefined.
 */
function eventOf(block: string): ServerSentEvent | undefined {
  let event = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const [, field, value = ""] = /^([a-z]+):? ?(.*)$/s.exec(line) ?? [];
    if (field === "event") {
      event = value;
    } else if (field === "data") {
      data.push(value);
    }
  }
  return data.length === 0 ? undefined : { event, data: data.join("\n") };
}

/**
 * The events of a stream, as they arrive. The stream of tracing-query never ends by itself, so its end is an error,
 * unless the user stopped the program.
 * @param signal aborted: the generator ends without an error
 * @throws CliError when the stream breaks off, or an event is over the limit
 */
export async function* readEvents(response: Response, signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece, { stream: true });
      for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
        const event = eventOf(text.slice(0, end));
        text = text.slice(end + 2);
        if (event !== undefined) {
          yield event;
        }
      }
      if (text.length > maxEvent) {
        throw new CliError(`an event is longer than ${maxEvent} characters`);
      }
    }
  } catch (error) {
    if (signal.aborted) {
      return;
    }
    throw error instanceof CliError
      ? error
      : new CliError(`the stream broke off: ${String(error)}`, 1, { cause: error });
  }
  if (!signal.aborted) {
    throw new CliError("tracing-query ended the stream");
  }
}

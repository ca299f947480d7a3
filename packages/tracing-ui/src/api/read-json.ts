import { AnswerReader } from "./answer-reader.ts";
import { ApiError } from "./api-error.ts";
import { takeEarlyAnswer } from "./early-answers.ts";
import { errorTexts, type Schema } from "./envelope.ts";
import { notePartial } from "./partial-answers.ts";

/** Maximum number of bytes of an answer after decompression: some 300,000 spans, about what a tab can hold. */
const maxAnswerBytes = 400 * 1024 * 1024;

/**
 * Sends a request to the query service and validates the answer.
 * @param path URL path below the page's base, such as `api/services`
 * @param schema schema of the answer
 * @param signal aborts the request; the promise then rejects with the signal's reason
 * @param body JSON to send, which makes the request a POST
 * @throws ApiError with any code except API_BAD_ID and API_FILE
 */
export async function readJson<T>(
  path: string,
  schema: Schema<T>,
  signal: AbortSignal,
  body?: string,
): Promise<T> {
  let response: Response;
  let answered: AnswerReader;
  try {
    const url = new URL(path, document.baseURI).href;
    response = await (body === undefined
      ? (takeEarlyAnswer(url, signal) ?? fetch(url, { signal, headers: { accept: "application/json" } }))
      : fetch(url, {
          signal,
          method: "POST",
          headers: { accept: "application/json", "content-type": "application/json" },
          body,
        }));
    answered = await readAnswer(response);
  } catch (cause) {
    if (signal.aborted || cause instanceof ApiError) {
      throw cause;
    }
    throw new ApiError("API_UNREACHABLE", "the query service does not answer", { cause });
  }
  const answer = answered.value();
  notePartial(signal, response, answer);
  if (!response.ok) {
    throw refusal(response, answer, answered.text());
  }
  if (answer === undefined) {
    throw new ApiError("API_SHAPE", `the answer to ${path} is not JSON`, { status: response.status });
  }
  const checked = schema.safeParse(answer);
  if (checked.success) {
    return checked.data;
  }
  const issue = checked.error.issues[0];
  throw new ApiError(
    "API_SHAPE",
    `the answer to ${path} is not as expected: ${issue?.path.join(".") || "(whole)"}: ${issue?.message}`,
    { status: response.status, cause: checked.error },
  );
}

/**
 * Reads the body as it arrives, up to the limit.
 * @throws ApiError API_TOO_LARGE
 */
async function readAnswer(response: Response): Promise<AnswerReader> {
  const answer = new AnswerReader();
  if (response.body === null) {
    return answer;
  }
  let bytes = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      break;
    }
    bytes += value.length;
    if (bytes > maxAnswerBytes) {
      await reader.cancel();
      throw new ApiError("API_TOO_LARGE", `the answer is over ${maxAnswerBytes} bytes`, {
        status: response.status,
      });
    }
    answer.push(value);
  }
  return answer;
}

/**
 * The error for a status of 400 or more. Its message is the service's own if the body has one, else the first 300
 * characters of the body, or the status when the body is empty.
 */
function refusal(response: Response, body: unknown, text: string): ApiError {
  const { status } = response;
  const message =
    errorTexts(body)[0] ?? (text.trim().slice(0, 300) || `${status} ${response.statusText}`.trim());
  if (status === 404) {
    return new ApiError("API_NOT_FOUND", message, { status });
  }
  if (status === 401 || status === 403) {
    return new ApiError("API_FORBIDDEN", message, { status });
  }
  return new ApiError(status >= 500 ? "API_FAILED" : "API_REFUSED", message, { status });
}

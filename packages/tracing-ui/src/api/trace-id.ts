import { ApiError } from "./api-error.ts";

/**
 * Refuses a text that cannot be an id before a request is sent: the service's own message would be about its parser.
 * @throws ApiError API_BAD_ID
 */
export function checkTraceId(text: string): void {
  if (!/^[0-9a-f]{1,32}$/i.test(text)) {
    const shown = text.length > 100 ? `${text.slice(0, 100)}…` : text;
    throw new ApiError("API_BAD_ID", `“${shown}” is no trace id`);
  }
}

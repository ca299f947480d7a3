import { ApiError } from "../../api/api-error.ts";

/**
 * Text for a view that could not be saved, listed or removed: the reason and the remedy. A service without a
 * directory for views answers 501.
 */
export function failureWords(error: unknown): string {
  if (!(error instanceof ApiError)) {
    return `Something in this page went wrong: ${String(error)}.`;
  }
  if (error.status === 501) {
    return "This query service keeps no views: whoever runs it has to set --query.views-dir.";
  }
  switch (error.code) {
    case "API_UNREACHABLE":
      return "The query service does not answer.";
    case "API_FORBIDDEN":
      return "You may not do this here: sign in again, or ask whoever runs this server.";
    case "API_NOT_FOUND":
      return "This query service knows no saved views: it is of another version, or another program.";
    default:
      return `The query service said: ${error.message}.`;
  }
}

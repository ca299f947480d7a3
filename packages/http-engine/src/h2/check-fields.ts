import { type HeaderList, readSentFields, type SaidFields } from "http-protocols/http2-server";
import { ServerError } from "server-core/errors";

/** @throws ServerError HTTP_RESPONSE for fields that are not allowed in a response */
export function checkFields(headers: HeaderList): SaidFields {
  const said = readSentFields(headers);
  if (typeof said === "string") {
    throw new ServerError("HTTP_RESPONSE", said);
  }
  return said;
}

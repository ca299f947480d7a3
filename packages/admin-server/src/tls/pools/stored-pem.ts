import { ServerError } from "../../core/errors.ts";
import type { ThreadMessages } from "../../core/threads/thread-messages.ts";
import { certificateTopics } from "../certificates/certificate-messages.ts";

/** A text of the storage, also for threads that have none. @throws ServerError CERTIFICATE when it is not there */
export async function storedPem(key: string, messages: ThreadMessages): Promise<string> {
  const pem = (await messages.askMain(certificateTopics.stored, key)) as string | undefined;
  if (pem === undefined) {
    throw new ServerError("CERTIFICATE", `${key}: not in the storage`);
  }
  return pem;
}

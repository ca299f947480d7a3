import type { ResourceKind, SharedResource } from "server-core/modules/usage-pool";
import type { ThreadMessages } from "server-core/threads/thread-messages";
import { type CertificateAnswer, certificateTopics } from "../../material/certificate-messages.ts";

/** Certificates with their keys as PEM, one pair for each kind of key, in the form for `tls.connect`. */
export interface ClientIdentity {
  /** Each entry includes the certificate's chain. */
  readonly cert: string[];
  /** Private keys, in the order of `cert`. */
  readonly key: string[];
}

/** A certificate of the app `tls` that this server sends to other servers as a client. */
export class ClientCertificate implements SharedResource {
  readonly name: string;
  readonly #messages: ThreadMessages;
  #isLookedAfter = false;

  /** @param name in lower case */
  constructor(name: string, messages: ThreadMessages) {
    this.name = name;
    this.#messages = messages;
  }

  /**
   * Makes the newest config manage the name, and returns the present certificate. The result is not cached: connections
   * are rarer than requests, and each connection should use the current certificate.
   * @returns undefined before the first certificate exists
   * @throws ServerError THREAD
   */
  async load(): Promise<ClientIdentity | undefined> {
    this.#isLookedAfter = true;
    const found = await this.#messages.askMain(certificateTopics.client, this.name);
    const certificates = (found as CertificateAnswer | undefined)?.certificates;
    return (
      certificates && { cert: certificates.map(({ cert }) => cert), key: certificates.map(({ key }) => key) }
    );
  }

  /**
   * Called when no config of this thread uses the certificate any more. The main thread then stops managing its name.
   */
  close(): void {
    if (this.#isLookedAfter) {
      // When the server ends, the main thread no longer handles this message.
      this.#messages.askMain(certificateTopics.clientEnded, this.name).catch(() => {});
    }
  }
}

/** Client certificates that any config of this thread uses, by name. */
export const clientCertificates: ResourceKind<ClientCertificate> = { name: "tls.client_certificate" };

import type { Logger } from "lifecycle";
import { messageOf, ServerError } from "server-core/errors";
import type { Storage } from "server-core/storage/storage";
import { type KeyType, keyFromPem, makeKey } from "../../material/key-pair.ts";
import { type LoadedCertificate, loadCertificate } from "../../material/loaded-certificate.ts";
import type { CertificateCache } from "../certificates/certificate-cache.ts";
import type { ManagedName } from "../certificates/certificate-state.ts";
import type { CertificateIssuer } from "../issuers/issuer.ts";
import { type CertificateAttempt, certificateEvents, type EmitEvent } from "./certificate-events.ts";
import { loadManaged, storeManaged } from "./certificate-files.ts";

/** The way to obtain the certificates of some names. */
export interface AutomationPolicy {
  /** Issuers in the order in which they are tried. When one issuer succeeds, the other issuers are not tried. */
  readonly issuers: readonly CertificateIssuer[];
  /**
   * Stores the certificates; also provides the lock that is held while a certificate is obtained. Instances of the
   * server share both.
   */
  readonly storage: Storage;
  /** The kind of new private keys. */
  readonly keyType: KeyType;
  /** A certificate is renewed when the rest of its lifetime is less than this fraction, 0 to 1. */
  readonly renewalWindowRatio: number;
  /** True: a renewed certificate keeps the private key of the old one. */
  readonly reuseKeys: boolean;
}

/** Settings of a manager, and the services that it uses. */
export interface CertificateManagerOptions {
  readonly policyFor: (name: string) => AutomationPolicy;
  /** Cache for handshakes; the manager adds each certificate as soon as it exists. */
  readonly cache: CertificateCache;
  /** The manager logs each obtained certificate, and each failed attempt with the pause after it. */
  readonly log: Logger;
  /** Called when certificates were added or removed. */
  readonly onChange: () => void;
  /** Emits events about certificates. A handler that aborts `cert_obtaining` makes the attempt fail. */
  readonly emit?: EmitEvent;
  /** Pauses after failures, in milliseconds; the last pause repeats. */
  readonly pausesMs?: readonly number[];
}

const minuteMs = 60_000;
/** Source: certmagic, whose pauses grow to six hours */
const defaultPausesMs = [1, 2, 2, 5, 10, 10, 20, 20, 30, 30, 60, 60, 180, 180, 360].map(
  (minutes) => minutes * minuteMs,
);
/**
 * A certificate that expires soon is retried sooner: no pause is longer than this fraction of its remaining time, or
 * than a minute if that is longer.
 */
const hurryRatio = 0.25;

/**
 * Interval in milliseconds at which a CA is asked for the renewal time of a certificate. Source: RFC 9773, section
 * 4.3.3
 */
const askAgainMs = 6 * 3_600_000;

/** The certificate that handshakes use now. */
interface Current {
  /** The certificate with its private key and chain. */
  readonly certificate: LoadedCertificate;
  /** At a renewal, the old certificate is named only to this issuer. */
  readonly issuer: CertificateIssuer;
  /** Renewal time from the certificate's age, in milliseconds since 1970. */
  readonly renewAtMs: number;
  /** The renewal time that the CA suggests; infinite without a suggestion. */
  suggestedMs: number;
  /** Time of the next request to the CA for a suggestion, in milliseconds since 1970. */
  askAtMs: number;
}

/** One name whose certificate is obtained and renewed. */
interface Managed {
  /** A DNS name, which may start with `*.`, or an IP address. */
  readonly name: string;
  /** The certificate in use; undefined until a certificate is obtained or found in the storage. */
  current: Current | undefined;
  /** The attempt that runs now, if any. */
  attempt: Promise<void> | undefined;
  /** Number of consecutive failed attempts; 0 after a success. */
  failures: number;
  /** Time of the last failure, in milliseconds since 1970. */
  failedAtMs: number;
  /** The error of each issuer in the last attempt, as one text; undefined after a success. */
  lastError: string | undefined;
  /** The next attempt after a failure. While an attempt is planned, `renewDue` skips the name. */
  retry: NodeJS.Timeout | undefined;
  /**
   * By the `key` of an issuer: the time, in milliseconds since 1970, before which the issuer accepts no request for
   * this name.
   */
  readonly notBefore: Map<string, number>;
}

/**
 * Obtains certificates, keeps them in the storage, and renews them in time. After a failure it tries again, without a
 * limit of attempts.
 */
export class CertificateManager {
  readonly #options: CertificateManagerOptions;
  readonly #managed = new Map<string, Managed>();
  readonly #end = new AbortController();

  constructor(options: CertificateManagerOptions) {
    this.#options = options;
  }

  /** Number of managed names. */
  get size(): number {
    return this.#managed.size;
  }

  /**
   * Manages a name from now on.
   * @returns resolves when its certificate is available, or when the first attempt failed and another one is planned.
   * The method waits for issuers on other machines only if `wait` is true
   * @param wait true: makes an attempt immediately, even if another attempt is planned. No attempt is made if the last
   * attempt failed less than the first pause ago, or if no issuer accepts a request yet
   */
  async manage(name: string, wait = false): Promise<void> {
    const managed = this.#managed.get(name) ?? {
      name,
      current: undefined,
      attempt: undefined,
      failures: 0,
      failedAtMs: 0,
      lastError: undefined,
      retry: undefined,
      notBefore: new Map(),
    };
    this.#managed.set(name, managed);
    if (managed.current !== undefined || (managed.retry !== undefined && !wait)) {
      return;
    }
    const { pausesMs = defaultPausesMs } = this.#options;
    const notBeforeMs = Math.max(this.#earliest(managed), managed.failedAtMs + (pausesMs[0] ?? minuteMs));
    if (managed.retry !== undefined && notBeforeMs > Date.now()) {
      // This limit holds for any number of clients that ask for the name. Another instance may have stored a
      // certificate meanwhile.
      await this.#adopt(managed);
      return;
    }
    const attempt = this.#attempt(managed);
    const local = this.#options.policyFor(name).issuers.every((issuer) => issuer.local);
    if (local || wait) {
      await attempt;
    } else {
      // Certificates that already exist are used from the start.
      await this.#adopt(managed);
    }
  }

  states(): ManagedName[] {
    return [...this.#managed.values()].map(({ name, current, failures, lastError }) => ({
      name,
      certificateId: current?.certificate.id,
      renewAtMs: current?.renewAtMs,
      failures,
      lastError,
    }));
  }

  /** Stops managing a name and using its certificate. The stored files remain. */
  forget(name: string): void {
    const managed = this.#managed.get(name);
    this.#managed.delete(name);
    clearTimeout(managed?.retry);
    if (managed?.current !== undefined) {
      this.#options.cache.remove(managed.current.certificate);
      this.#options.onChange();
    }
  }

  /** Renews all certificates whose renewal time has come. */
  async renewDue(now = Date.now()): Promise<void> {
    for (const managed of this.#managed.values()) {
      const { current } = managed;
      if (current === undefined || managed.retry !== undefined) {
        continue;
      }
      if (now >= current.askAtMs) {
        await this.#ask(managed.name, current, now);
      }
      if (now >= Math.min(current.renewAtMs, current.suggestedMs)) {
        await this.#attempt(managed);
      }
    }
  }

  close(): void {
    this.#end.abort();
    for (const { retry } of this.#managed.values()) {
      clearTimeout(retry);
    }
  }

  #isForgotten(managed: Managed): boolean {
    return this.#managed.get(managed.name) !== managed;
  }

  /** Starts an attempt, or joins the running attempt for the name. Never rejects. */
  #attempt(managed: Managed): Promise<void> {
    managed.attempt ??= this.#obtain(managed)
      .then(
        () => {
          managed.failures = 0;
          managed.lastError = undefined;
          managed.notBefore.clear();
          clearTimeout(managed.retry);
          managed.retry = undefined;
        },
        (error: unknown) => this.#failed(managed, error),
      )
      .finally(() => {
        managed.attempt = undefined;
      });
    return managed.attempt;
  }

  /**
   * The earliest time at which an issuer accepts a request, in milliseconds since 1970; 0 if some issuer accepts
   * requests at any time.
   */
  #earliest({ name, notBefore }: Managed): number {
    const { issuers } = this.#options.policyFor(name);
    return Math.min(...issuers.map(({ key }) => notBefore.get(key) ?? 0));
  }

  #failed(managed: Managed, error: unknown): void {
    if (this.#end.signal.aborted || this.#isForgotten(managed)) {
      return;
    }
    const { pausesMs = defaultPausesMs, log } = this.#options;
    const planned = pausesMs[Math.min(managed.failures, pausesMs.length - 1)] ?? minuteMs;
    const leftMs = (managed.current?.certificate.leaf.validToDate.getTime() ?? 0) - Date.now();
    const hurried = leftMs > 0 ? Math.min(planned, Math.max(leftMs * hurryRatio, minuteMs)) : planned;
    // The pause that a CA requests is kept even for an urgent certificate, because the CA would refuse an earlier
    // request.
    const pauseMs = Math.max(hurried, this.#earliest(managed) - Date.now());
    managed.failures++;
    managed.failedAtMs = Date.now();
    managed.lastError = messageOf(error);
    log.error(
      `certificate for ${managed.name}: ${messageOf(error)}; attempt ${managed.failures}, next in ${Math.round(pauseMs / 1000)} s`,
    );
    clearTimeout(managed.retry);
    managed.retry = setTimeout(() => {
      managed.retry = undefined;
      void this.#attempt(managed);
    }, pauseMs);
    managed.retry.unref();
  }

  /** Uses the stored certificate of a name. @returns true when the certificate is valid and not yet due for renewal */
  async #adopt(managed: Managed): Promise<boolean> {
    const policy = this.#options.policyFor(managed.name);
    for (const issuer of policy.issuers) {
      let certificate: LoadedCertificate | undefined;
      try {
        certificate = await loadManaged(policy.storage, issuer.key, managed.name);
      } catch (error) {
        this.#options.log.warn(
          `certificate for ${managed.name}: ${messageOf(error)}; another one is obtained`,
        );
      }
      if (certificate !== undefined && certificate.leaf.validToDate.getTime() > Date.now()) {
        const renewAtMs = this.#renewalTime(certificate, policy);
        if (managed.current?.certificate.id !== certificate.id) {
          this.#show(managed, certificate, issuer, renewAtMs);
        }
        return Date.now() < Math.min(renewAtMs, managed.current?.suggestedMs ?? renewAtMs);
      }
    }
    return false;
  }

  async #obtain(managed: Managed): Promise<void> {
    if (await this.#adopt(managed)) {
      return;
    }
    const policy = this.#options.policyFor(managed.name);
    const { signal } = this.#end;
    const unlock = await policy.storage.lock(`issue_cert_${managed.name}`, signal);
    try {
      // Another instance may have stored a certificate meanwhile.
      if (await this.#adopt(managed)) {
        return;
      }
      const attempt = this.#attemptFor(managed);
      const { aborted } =
        (await this.#options.emit?.("cert_obtaining", certificateEvents.obtaining(attempt))) ?? {};
      if (aborted !== undefined) {
        const what = attempt.current === undefined ? "obtaining" : "renewing";
        throw new Error(`${what} certificate aborted by event handler: ${aborted}`);
      }
      signal.throwIfAborted();
      const faults: string[] = [];
      for (const issuer of policy.issuers) {
        const notBeforeMs = managed.notBefore.get(issuer.key) ?? 0;
        if (Date.now() < notBeforeMs) {
          faults.push(`${issuer.key}: not asked before ${new Date(notBeforeMs).toISOString()}, as it wants`);
          continue;
        }
        managed.notBefore.delete(issuer.key);
        try {
          await this.#issue(managed, policy, issuer);
          return;
        } catch (error) {
          signal.throwIfAborted();
          if (error instanceof ServerError && error.retryAtMs !== undefined) {
            managed.notBefore.set(issuer.key, error.retryAtMs);
          }
          faults.push(`${issuer.key}: ${messageOf(error)}`);
        }
      }
      const fault = faults.join("; ");
      const issuers = policy.issuers.map(({ key }) => key);
      this.#tell("cert_failed", certificateEvents.failed(attempt, issuers, fault));
      throw new Error(fault);
    } finally {
      await unlock();
    }
  }

  async #issue(managed: Managed, policy: AutomationPolicy, issuer: CertificateIssuer): Promise<void> {
    const { name, current, failures } = managed;
    const old = current?.certificate;
    const key =
      policy.reuseKeys && old !== undefined ? keyFromPem(old.keyPem, name) : await makeKey(policy.keyType);
    const { signal } = this.#end;
    const replaces = current?.issuer === issuer ? old?.chainPem : undefined;
    const { storage } = policy;
    const issued = await issuer.issue({ name, key, signal, replaces, failures, storage });
    const certificate = loadCertificate(issued.chainPem, key, `${issuer.key}/${name}`, ["managed"]);
    await storeManaged(policy.storage, { issuerKey: issuer.key, name, certificate, data: issued.data ?? {} });
    this.#tell("cert_obtained", certificateEvents.obtained(this.#attemptFor(managed), issuer.key));
    this.#show(managed, certificate, issuer, this.#renewalTime(certificate, policy));
    this.#options.log.info(
      `certificate for ${name} obtained from ${issuer.key}, good until ${certificate.leaf.validToDate.toISOString()}`,
    );
  }

  /**
   * Asks the CA for the time at which a certificate should be renewed. If the CA does not answer, it is asked again
   * after the usual interval.
   */
  async #ask(name: string, current: Current, now: number): Promise<void> {
    current.askAtMs = now + askAgainMs;
    try {
      const { signal } = this.#end;
      const suggested = await current.issuer.suggestRenewal?.(current.certificate.chainPem, signal);
      current.suggestedMs = suggested?.getTime() ?? Number.POSITIVE_INFINITY;
    } catch (error) {
      if (!this.#end.signal.aborted) {
        this.#options.log.warn(`certificate for ${name}: asking when to renew: ${messageOf(error)}`);
      }
    }
  }

  #attemptFor({ name, current }: Managed): CertificateAttempt {
    return {
      name,
      current: current && { certificate: current.certificate, issuerKey: current.issuer.key },
    };
  }

  /** The manager does not wait for the event's handlers. */
  #tell(...event: Parameters<EmitEvent>): void {
    void this.#options.emit?.(...event);
  }

  #renewalTime({ leaf }: LoadedCertificate, policy: AutomationPolicy): number {
    const [from, to] = [leaf.validFromDate.getTime(), leaf.validToDate.getTime()];
    return to - (to - from) * policy.renewalWindowRatio;
  }

  #show(
    managed: Managed,
    certificate: LoadedCertificate,
    issuer: CertificateIssuer,
    renewAtMs: number,
  ): void {
    const { cache, onChange } = this.#options;
    if (this.#isForgotten(managed)) {
      return;
    }
    if (managed.current === undefined) {
      this.#tell("cached_managed_cert", certificateEvents.cached(certificate));
    } else {
      cache.remove(managed.current.certificate);
    }
    const askAtMs = issuer.suggestRenewal === undefined ? Number.POSITIVE_INFINITY : 0;
    managed.current = { certificate, issuer, renewAtMs, suggestedMs: Number.POSITIVE_INFINITY, askAtMs };
    cache.add(certificate);
    onChange();
  }
}

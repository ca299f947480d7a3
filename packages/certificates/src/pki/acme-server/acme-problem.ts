/**
 * Types of problems, without the prefix `urn:ietf:params:acme:error:`, with the HTTP status of each type. Source: RFC
 * 8555, section 6.7
 */
const statuses = {
  accountDoesNotExist: 400,
  alreadyRevoked: 400,
  badCSR: 400,
  badNonce: 400,
  badPublicKey: 400,
  badRevocationReason: 400,
  badSignatureAlgorithm: 400,
  connection: 400,
  dns: 400,
  incorrectResponse: 403,
  invalidContact: 400,
  malformed: 400,
  orderNotReady: 403,
  rateLimited: 429,
  rejectedIdentifier: 400,
  serverInternal: 500,
  tls: 400,
  unauthorized: 403,
  unsupportedContact: 400,
  unsupportedIdentifier: 400,
} as const;

/** A kind of problem that this server reports. */
export type ProblemType = keyof typeof statuses;

/** A fault in a request or an order, in the form that ACME defines. */
export class AcmeProblem extends Error {
  /** The type, without its URN prefix. */
  readonly type: ProblemType;
  /** Status code of the HTTP answer. */
  readonly status: number;

  /** @param status replaces the usual status of `type` */
  constructor(type: ProblemType, detail: string, status?: number) {
    super(detail);
    this.type = type;
    this.status = status ?? statuses[type];
  }

  get document(): ProblemDocument {
    return {
      type: `urn:ietf:params:acme:error:${this.type}`,
      detail: this.message,
      status: this.status,
    };
  }
}

/** Source: RFC 7807 */
export interface ProblemDocument {
  /** A URN: `urn:ietf:params:acme:error:malformed`. */
  readonly type: string;
  /** The reason, for people who read the client's log. */
  readonly detail: string;
  /** Status code of the response, repeated in the body. */
  readonly status: number;
}

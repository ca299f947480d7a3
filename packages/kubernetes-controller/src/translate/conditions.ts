/** A condition without the time of its last change, which depends on the previous status. */
export interface WantedCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
}

export function isTrue(type: string, reason: string, message = ""): WantedCondition {
  return { type, status: "True", reason, message };
}

export function isFalse(type: string, reason: string, message: string): WantedCondition {
  return { type, status: "False", reason, message };
}

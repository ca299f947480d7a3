import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";

/** The owner of running work: a request, or a module of the configuration. */
export interface ErrorOwner {
  /** Takes an error of this work that no code caught. Must not throw. */
  fail(error: unknown): void;
}

const owners = new AsyncLocalStorage<ErrorOwner | undefined>();

/** The context of work without an owner: the one in which this module was loaded. */
const nobody = new AsyncResource("nobody");

function enter<Arguments extends unknown[], Result>(
  owner: ErrorOwner,
  run: (...args: Arguments) => Result,
  args: Arguments,
): Result {
  owners.enterWith(owner);
  return run(...args);
}

/**
 * Runs something as the work of `owner`, with all timers, promises and sockets that come of it. Values that others keep in
 * an `AsyncLocalStorage` do not go along.
 *
 * Each request passes here: to enter from the context of nobody, and to leave by its resource, takes a fifth of the time of
 * `AsyncLocalStorage.run`, which copies the context twice.
 */
export function runFor<Arguments extends unknown[], Result>(
  owner: ErrorOwner,
  run: (...args: Arguments) => Result,
  ...args: Arguments
): Result {
  return owners.getStore() === owner
    ? run(...args)
    : (nobody.runInAsyncScope(enter, undefined, owner, run, args) as Result);
}

/** Runs something that outlives the request that happened to start it, such as a connection that is kept. */
export function runForNobody<Result>(run: () => Result): Result {
  return nobody.runInAsyncScope(run);
}

/**
 * Binds a callback to the present owner, for events of objects that outlive the owner's work. Errors of the
 * callback are the owner's.
 */
export function keepOwner<Arguments extends unknown[]>(
  callback: (...args: Arguments) => void,
): (...args: Arguments) => void {
  const owner = owners.getStore();
  if (owner === undefined) {
    return callback;
  }
  return (...args) => {
    try {
      runFor(owner, callback, ...args);
    } catch (error) {
      owner.fail(error);
    }
  };
}

/** Gives an error to the owner of the running work. @returns whether there is an owner */
export function giveToOwner(error: unknown): boolean {
  const owner = owners.getStore();
  owner?.fail(error);
  return owner !== undefined;
}

/**
 * Gives uncaught errors to the owners of their work, so that they do not end the thread.
 * @param end called with an error without an owner: the state of its work is unknown
 * @returns stops that
 */
export function containUncaught(end: (error: Error, isRejection: boolean) => void): () => void {
  const take = (error: Error, origin: NodeJS.UncaughtExceptionOrigin) => {
    if (!giveToOwner(error)) {
      end(error, origin === "unhandledRejection");
    }
  };
  process.on("uncaughtException", take);
  return () => void process.off("uncaughtException", take);
}

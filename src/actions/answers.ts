import { isNeverConnected } from '../api/connection-errors.ts';
import { BrokerError, HttpStatusError, gatewayStatuses } from '../api/errors.ts';
import type { ApiError } from '../api/errors.ts';
import type { Answer } from './action.ts';
import type { Secret } from './secret.ts';

/**
 * What a failure says about the request. `refused`: it was understood and not carried out. `unknown`
 * also for 404, which is what a handler that crashed halfway answers, for 101, where one node
 * asked another one and heard nothing (field notes, "Transport"; §7), and for a status that the interface
 * does not have below 400: it may well mean yes, as 202 and 204 do.
 */
export function kindOfFailure(error: ApiError): Exclude<Answer['kind'], 'accepted'> {
  switch (error.kind) {
    case 'unsupported':
    case 'unusable-id':
    case 'refused':
    case 'read-only':
      return 'not-sent';
    case 'unauthorized':
      return isNeverConnected(error) ? 'not-sent' : 'refused';
    case 'rate-limited':
      return 'refused';
    case 'broker':
      return error instanceof BrokerError && error.code === 101 ? 'unknown' : 'refused';
    case 'http-status':
      return error instanceof HttpStatusError && isRefusal(error.status) ? 'refused' : 'unknown';
    case 'unreachable':
    case 'timeout':
      return isNeverConnected(error) ? 'not-sent' : 'unknown';
    default:
      return 'unknown';
  }
}

const isRefusal = (status: number): boolean => status >= 400 && status < 500;

/**
 * It may still be carried out, because whoever carries it out has not said that it is over: not having
 * happened yet says nothing. A broker that was asked and answered in its own way, even with a crash, is through
 * with it; what cannot be understood may be somebody else's answer, or 202: it will be done.
 */
export function mayStillHappen(error: ApiError | undefined): boolean {
  switch (error?.kind) {
    case 'aborted':
    case 'bad-answer':
    case 'no-answer':
    case 'timeout':
    case 'too-large':
    case 'unreachable':
      return true;
    case 'broker':
      return error instanceof BrokerError && error.code === 101;
    case 'http-status':
      return error instanceof HttpStatusError && (error.status < 400 || gatewayStatuses.has(error.status));
    default:
      return false;
  }
}

/**
 * The error without the broker's own words where a secret may be in them. Not with the secret taken out of
 * them: what is left around the holes would tell a short one.
 */
export function withoutSecrets(error: ApiError, secrets: readonly Secret[]): ApiError {
  if (!(error instanceof BrokerError) || error.brokerMessage === undefined) return error;
  const { brokerMessage, code, request } = error;
  return secrets.some((secret) => secret.isIn(brokerMessage)) ? new BrokerError(code, undefined, { request }) : error;
}

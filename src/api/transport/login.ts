import { loginForms } from '../../domain/secret-forms.ts';

/** The value of an `Authorization` header. The scheme is spelled exactly so: some brokers close the connection on `basic`. */
export function basicAuth(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** A text without the login, whichever of its passwords and however it is written: answers and errors may repeat it. */
export function withoutLogin(text: string, user: string, passwords: readonly string[]): string {
  const forms = passwords.flatMap((password) => loginForms(user, password));
  // The longest first: it may begin with another.
  return forms.toSorted((a, b) => b.length - a.length).reduce((rest, form) => rest.replaceAll(form, '(hidden)'), text);
}

import { onePasswordLine } from './line.ts';
import { readPrivateFile } from '../files/private-file.ts';

/**
 * The password in the one line of a file, without its line end.
 *
 * @throws UsageError when the file cannot be read, belongs to somebody else, may be read by others,
 * is not a plain file, or holds no or more than one line. The message never holds what is in it.
 */
export async function readPasswordFile(path: string): Promise<string> {
  const text = await readPrivateFile({ path, name: 'The password file', maxBytes: 4096, content: 'a password' });
  return onePasswordLine(text, `The password file ${JSON.stringify(path)}`);
}

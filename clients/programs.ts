/** A client's program. The folder `clients/<name>` has it and its pinned versions. */
export interface ClientProgram {
  readonly name: string;
  /** Succeeds if the toolchain is installed. */
  readonly probe: readonly string[];
  /** Commands to run in sequence in a copy of the folder; they change nothing if the libraries are there already. */
  readonly install: readonly (readonly string[])[];
  readonly command: readonly string[];
  /** Whether the operations depend on what the model does, so that the scripted one answers. */
  readonly isScripted?: boolean;
}

const NPM_INSTALL = ['npm', 'install', '--silent', '--no-audit', '--no-fund', '--no-package-lock'];
const MAVEN = ['mvn', '--quiet', '--batch-mode'];

export const CLIENT_PROGRAMS: readonly ClientProgram[] = [
  python('openai-python'),
  typescript('openai-typescript'),
  {
    name: 'openai-go',
    probe: ['go', 'version'],
    install: [['go', 'build', '-mod=mod', '-o', 'client', '.']],
    command: ['./client'],
  },
  {
    name: 'openai-java',
    probe: ['mvn', '--version'],
    install: [[...MAVEN, 'compile']],
    command: [...MAVEN, 'exec:java'],
  },
  python('anthropic-python'),
  typescript('anthropic-typescript'),
  typescript('ai-sdk'),
  python('agents-python'),
  typescript('agents-typescript'),
  python('langchain'),
  python('pydantic-ai'),
  { ...python('llm'), command: ['bash', 'client.sh'] },
  { ...typescript('open-responses'), isScripted: true },
  agent('codex'),
  agent('claude-code'),
];

function python(name: string): ClientProgram {
  return {
    name,
    probe: ['python3', '-m', 'venv', '--help'],
    install: [
      ['python3', '-m', 'venv', 'environment'],
      ['environment/bin/pip', 'install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt'],
    ],
    command: ['environment/bin/python', 'client.py'],
  };
}

function typescript(name: string): ClientProgram {
  return { name, probe: ['npm', '--version'], install: [NPM_INSTALL], command: [process.execPath, 'client.ts'] };
}

function agent(name: string): ClientProgram {
  return {
    name,
    probe: ['npm', '--version'],
    install: [NPM_INSTALL],
    command: ['bash', 'client.sh'],
    isScripted: true,
  };
}

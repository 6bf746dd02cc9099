"""The configuration as types, for editors and mypy: `config: hindcast.typed.Run = {"source": log, "policy": "easy"}`.

Made of the JSON Schema by tools/typed_configs; at run time a configuration is a dict like any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Required, TypeAlias, TypedDict

from .components import Metric, Order, Placement, Policy, Source, Transform


class Run(TypedDict, total=False):
    """one simulation: what arrives, on which machine, under which policy, and what is counted"""

    name: str | float | bool
    seed: int
    replication: int
    compat: AnyCompat
    plugin: str | float | bool | Sequence[str | float | bool]
    world: AnyWorld
    source: AnyReader | Sequence[AnyReader]
    users: Literal['apart', 'shared'] | Sequence[Literal['apart', 'shared']]
    prefix: str | float | bool | Sequence[str | float | bool]
    transforms: AnyTransform | Sequence[AnyTransform]
    sort_window: int
    threads: int
    strict: bool | Literal['yes', 'no', 'on', 'off']
    rejected: str | float | bool
    processors: Literal['asked', 'used', 'larger']
    overrun: Literal['kill', 'run_on', 'extend', 'kill_planned_long']
    no_limit: Literal['run', 'endless', 'assume']
    assumed_limit: float | str
    zero_length: Literal['keep', 'second', 'drop']
    too_large: Literal['reject', 'clamp', 'error']
    cancelled: Literal['skip', 'withdraw']
    believe_waiting: Literal['limit', 'run']
    believe_running: Literal['limit', 'run']
    oracle: bool | Literal['yes', 'no', 'on', 'off']
    execution: AnyModel
    predictor: AnyPredictor
    correction: Literal['steps', 'limit', 'double', 'any_moment']
    missing_predecessor: Literal['satisfied', 'hold', 'wait', 'error']
    remember: int
    host_loss: Literal['lost', 'requeue', 'restart']
    requeue_after: float | str
    requeue_growth: float
    requeue_most: float | str
    checkpoint: AnyCheckpoint
    slowdowns: AnySlowdown | Sequence[AnySlowdown]
    attempts: int
    host_shrinks: Literal['keep', 'requeue', 'checkpoint', 'stop']
    shrink_first: Literal['latest', 'priority']
    cannot_grow: Literal['keep', 'defer', 'requeue', 'reserve']
    max_waiting: int
    events: AnyEvents | Sequence[AnyEvents]
    reservations: AnyReservation | Sequence[AnyReservation]
    local_load: AnyLoad | Sequence[AnyLoad]
    power: AnyPower | Sequence[AnyPower]
    load_wake: Literal['needed', 'every_change', 'never']
    cell: AnyCell | CellAuto
    policy: AnyPolicy | PolicyBatch
    changes: AnySetting | Sequence[AnySetting]
    architecture: AnyArchitecture | ArchitectureMonolithic
    instant_order: Literal['ends_first', 'arrivals_first']
    end_order: Literal['serial', 'start']
    due_ends_first: bool | Literal['yes', 'no', 'on', 'off']
    max_rounds: int
    event_queue: Literal['heap', 'radix', 'wheel']
    until: float | str
    metrics: AnyMetric | Sequence[AnyMetric]
    trim: AnyTrim
    task_rows: Literal['all', 'sample', 'none']
    sample: int
    name_limit: int
    zone: str | float | bool
    unix_start: Literal['unknown'] | int
    output: str | float | bool
    conflicts: bool | Literal['yes', 'no', 'on', 'off']
    paranoid: bool | Literal['yes', 'no', 'on', 'off']


AnyReader: TypeAlias = "str | Literal['swf', 'batsim', 'elastisim', 'sacct', 'sacct_json', 'slurmdbd', 'jobcomp', 'squeue', 'squeue_json', 'scontrol_jobs', 'ub_events', 'pbs', 'sge', 'lsf', 'loadleveler', 'pseudo_cluster', 'gwf', 'csv', 'philly', 'helios', 'swim', 'native', 'google2011', 'google2019', 'alibaba_v2017', 'alibaba_v2018', 'alibaba_v2018_instances', 'alibaba_v2018_containers', 'alibaba_v2020', 'alibaba_v2023', 'alibaba_v2025', 'alibaba_v2026', 'azure_v1', 'azure_functions', 'cell_state', 'cache', 'yt_operations', 'dax', 'wfcommons', 'synthetic', 'lublin', 'feitelson96', 'jann97', 'downey97', 'polezhaev', 'mixture', 'random', 'alibaba_like', 'google_like', 'prefill', 'resample', 'users'] | ReaderSwf | ReaderBatsim | ReaderElastisim | ReaderSacct | ReaderSacctJson | ReaderSlurmdbd | ReaderJobcomp | ReaderSqueue | ReaderSqueueJson | ReaderScontrolJobs | ReaderUbEvents | ReaderPbs | ReaderSge | ReaderLsf | ReaderLoadleveler | ReaderPseudoCluster | ReaderGwf | ReaderCsv | ReaderPhilly | ReaderHelios | ReaderSwim | ReaderNative | ReaderGoogle2011 | ReaderGoogle2019 | ReaderAlibabaV2017 | ReaderAlibabaV2018 | ReaderAlibabaV2018Instances | ReaderAlibabaV2018Containers | ReaderAlibabaV2020 | ReaderAlibabaV2023 | ReaderAlibabaV2025 | ReaderAlibabaV2026 | ReaderAzureV1 | ReaderAzureFunctions | ReaderCellState | ReaderCache | ReaderYtOperations | ReaderDax | ReaderWfcommons | ReaderSynthetic | ReaderLublin | ReaderFeitelson96 | ReaderJann97 | ReaderDowney97 | ReaderPolezhaev | ReaderMixture | ReaderRandom | ReaderAlibabaLike | ReaderGoogleLike | ReaderPrefill | ReaderResample | ReaderUsers | type[Source]"


class ReaderSwf(TypedDict, total=False):
    """Standard Workload Format of the Parallel Workloads Archive"""

    use: Required[Literal['swf']]
    file: str | float | bool
    follow: Literal['none', 'think_time']
    missing_predecessor: Literal['satisfied', 'reject', 'error']
    ahead: int
    partial: Literal['merge', 'keep']
    columns: Literal['standard', 'alcf']
    time_unit: float | str
    origin: str | float | bool


class ReaderBatsim(TypedDict, total=False):
    """workloads of Batsim (JSON)"""

    use: Required[Literal['batsim']]
    file: str | float | bool
    other_profiles: Literal['reject', 'limit']
    ties: Literal['file', 'id']
    executables: Literal['none', 'profiles']
    report: float | str
    storage_mapping: str | float | bool | Sequence[str | float | bool]
    time_unit: float | str
    origin: str | float | bool
    dynamic: bool | Literal['yes', 'no', 'on', 'off']


class ReaderElastisim(TypedDict, total=False):
    """jobs of ElastiSim and their application models (JSON)"""

    use: Required[Literal['elastisim']]
    file: str | float | bool
    models: str | float | bool
    cores: int
    gpu_bandwidth: float
    size: Literal['max', 'min', 'mean']
    pfs: str | float | bool
    burst_buffer: str | float | bool
    task_times: bool | Literal['yes', 'no', 'on', 'off']
    kill_grace: float | str
    time_unit: float | str
    origin: str | float | bool


class ReaderSacct(TypedDict, total=False):
    """Slurm accounting records, as sacct --parsable2 prints them"""

    use: Required[Literal['sacct']]
    file: str | float | bool
    zone: str | float | bool
    origin: str | float | bool
    time_unit: float | str
    layout: Literal['header', 'xdmod']
    fields: str | float | bool | Sequence[str | float | bool]
    units: Literal['cpus', 'nodes']
    demand: Literal['processors', 'nodes', 'slurm']
    wait_from: Literal['submit', 'eligible']
    run_from: Literal['elapsed', 'end']
    requeues: Literal['last', 'each']
    partition_limit: float | str
    ahead: int


class ReaderSacctJson(TypedDict, total=False):
    """Slurm accounting records, as sacct --json prints them"""

    use: Required[Literal['sacct_json']]
    file: str | float | bool
    zone: str | float | bool
    origin: str | float | bool
    time_unit: float | str
    units: Literal['cpus', 'nodes']
    demand: Literal['processors', 'nodes', 'slurm']
    wait_from: Literal['submit', 'eligible']
    run_from: Literal['elapsed', 'end']
    requeues: Literal['last', 'each']
    ahead: int


class ReaderSlurmdbd(TypedDict, total=False):
    """the table of jobs of Slurm's database, as mysqldump or a client writes it"""

    use: Required[Literal['slurmdbd']]
    file: str | float | bool
    zone: str | float | bool
    origin: str | float | bool
    time_unit: float | str
    table: str | float | bool
    reservations: str | float | bool
    gpu_tres: int
    units: Literal['cpus', 'nodes']
    demand: Literal['processors', 'nodes', 'slurm']
    wait_from: Literal['submit', 'eligible']
    run_from: Literal['elapsed', 'end']
    requeues: Literal['last', 'each']
    ahead: int


class ReaderJobcomp(TypedDict, total=False):
    """the completion log that Slurm's jobcomp/filetxt writes"""

    use: Required[Literal['jobcomp']]
    file: str | float | bool
    zone: str | float | bool
    origin: str | float | bool
    time_unit: float | str
    units: Literal['cpus', 'nodes']
    demand: Literal['processors', 'nodes', 'slurm']
    wait_from: Literal['submit', 'eligible']
    run_from: Literal['elapsed', 'end']
    requeues: Literal['last', 'each']
    partition_limit: float | str
    ahead: int


class ReaderSqueue(TypedDict, total=False):
    """the jobs that run and wait now, as squeue prints them"""

    use: Required[Literal['squeue']]
    file: str | float | bool
    zone: str | float | bool
    now: str | float | bool
    origin: str | float | bool
    time_unit: float | str
    units: Literal['cpus', 'nodes']
    demand: Literal['processors', 'nodes', 'slurm']
    held: Literal['skip', 'keep']
    partition_limit: float | str
    no_limit: float | str


class ReaderSqueueJson(TypedDict, total=False):
    """the jobs that run and wait now, as squeue --json prints them"""

    use: Required[Literal['squeue_json']]
    file: str | float | bool
    zone: str | float | bool
    now: str | float | bool
    origin: str | float | bool
    time_unit: float | str
    units: Literal['cpus', 'nodes']
    demand: Literal['processors', 'nodes', 'slurm']
    held: Literal['skip', 'keep']
    partition_limit: float | str
    no_limit: float | str


class ReaderScontrolJobs(TypedDict, total=False):
    """the jobs that run and wait now, as scontrol show job prints them"""

    use: Required[Literal['scontrol_jobs']]
    file: str | float | bool
    zone: str | float | bool
    now: str | float | bool
    origin: str | float | bool
    time_unit: float | str
    units: Literal['cpus', 'nodes']
    demand: Literal['processors', 'nodes', 'slurm']
    held: Literal['skip', 'keep']
    partition_limit: float | str
    no_limit: float | str


class ReaderUbEvents(TypedDict, total=False):
    """workloads of the UB Slurm simulator: its event files, and its tables of jobs"""

    use: Required[Literal['ub_events']]
    file: str | float | bool
    zone: str | float | bool
    origin: str | float | bool
    time_unit: float | str
    demand: Literal['processors', 'nodes']
    constraints: Literal['require', 'ignore']


class ReaderPbs(TypedDict, total=False):
    """accounting logs of PBS: Torque, OpenPBS, PBS Professional"""

    use: Required[Literal['pbs']]
    file: str | float | bool
    zone: str | float | bool
    origin: str | float | bool
    time_unit: float | str
    units: Literal['cpus', 'nodes']
    demand: Literal['processors', 'nodes', 'slurm']
    wait_from: Literal['submit', 'eligible']
    run_from: Literal['elapsed', 'end']
    requeues: Literal['last', 'each']
    ahead: int


class ReaderSge(TypedDict, total=False):
    """the accounting file of Grid Engine: Sun's, Univa's and others"""

    use: Required[Literal['sge']]
    file: str | float | bool
    zone: str | float | bool
    origin: str | float | bool
    time_unit: float | str
    run_from: Literal['elapsed', 'end']
    requeues: Literal['last', 'each']
    ahead: int


class ReaderLsf(TypedDict, total=False):
    """lsb.acct, the accounting log of IBM Spectrum LSF"""

    use: Required[Literal['lsf']]
    file: str | float | bool
    zone: str | float | bool
    origin: str | float | bool
    time_unit: float | str
    wait_from: Literal['submit', 'eligible']
    requeues: Literal['last', 'each']
    ahead: int


class ReaderLoadleveler(TypedDict, total=False):
    """what llsummary -l of LoadLeveler prints: a block of lines for each job"""

    use: Required[Literal['loadleveler']]
    file: str | float | bool
    zone: str | float | bool
    origin: str | float | bool
    time_unit: float | str
    units: Literal['cpus', 'nodes']
    demand: Literal['processors', 'nodes', 'slurm']
    requeues: Literal['last', 'each']
    ahead: int


class ReaderPseudoCluster(TypedDict, total=False):
    """statistics.csv of pseudo-cluster, its universal table of jobs"""

    use: Required[Literal['pseudo_cluster']]
    file: str | float | bool
    time_unit: float | str
    zone: str | float | bool
    origin: str | float | bool
    users_map: str | float | bool
    groups_map: str | float | bool


class ReaderGwf(TypedDict, total=False):
    """Grid Workload Format of the Grid Workloads Archive, and OpenDC's short form"""

    use: Required[Literal['gwf']]
    file: str | float | bool
    dialect: Literal['auto', 'standard', 'opendc']
    submit: Literal['auto', 'relative', 'unix']
    dependencies: Literal['ignore', 'honour']
    time_unit: float | str
    origin: str | float | bool


class ReaderCsv(TypedDict, total=False):
    """any table of jobs, whose columns are given as parameters"""

    use: Required[Literal['csv']]
    file: str | float | bool
    separator: Literal['auto', 'comma', 'semicolon', 'tab', 'pipe', 'space']
    header: bool | Literal['yes', 'no', 'on', 'off']
    quotes: bool | Literal['yes', 'no', 'on', 'off']
    comment: str | float | bool
    skip: int
    id: str | float | bool
    submit: str | float | bool
    start: str | float | bool
    end: str | float | bool
    wait: str | float | bool
    run: str | float | bool
    limit: str | float | bool
    procs: str | float | bool
    procs_times: str | float | bool
    procs_used: str | float | bool
    memory_asked: str | float | bool
    memory_used: str | float | bool
    user: str | float | bool
    group: str | float | bool
    executable: str | float | bool
    queue: str | float | bool
    partition: str | float | bool
    status: str | float | bool
    priority: str | float | bool
    job: str | float | bool
    count: str | float | bool
    hosts: str | float | bool
    cpu: str | float | bool
    memory: str | float | bool
    disk: str | float | bool
    gpu: str | float | bool
    not_before: str | float | bool
    after: str | float | bool
    constraints: str | float | bool
    prefers: str | float | bool
    label: str | float | bool
    job_label: str | float | bool
    other: str | float | bool | Sequence[str | float | bool]
    cpu_unit: float
    gpu_unit: float
    disk_unit: int | str
    amounts_of: Literal['host', 'task']
    spread: bool | Literal['yes', 'no', 'on', 'off']
    after_how: Literal['ended', 'completed', 'failed', 'started']
    procs_factor: int
    time_format: str | float | bool
    submit_format: str | float | bool
    start_format: str | float | bool
    end_format: str | float | bool
    not_before_format: str | float | bool
    time_unit: float | str
    wait_unit: float | str
    run_unit: float | str
    limit_unit: float | str
    zone: str | float | bool
    origin: str | float | bool
    memory_unit: int | str
    memory_of: Literal['processor', 'task']
    names: Literal['auto', 'always']
    missing: str | float | bool | Sequence[str | float | bool]
    completed: str | float | bool | Sequence[str | float | bool]
    failed: str | float | bool | Sequence[str | float | bool]
    cancelled: str | float | bool | Sequence[str | float | bool]


class ReaderPhilly(TypedDict, total=False):
    """job logs of Microsoft's Philly (JSON): GPUs, hosts and attempts of training jobs"""

    use: Required[Literal['philly']]
    file: str | float | bool
    attempts: Literal['sum', 'first', 'last']
    gpus_per_host: int
    cpus_per_gpu: float
    memory_per_gpu: int | str
    time_unit: float | str
    zone: str | float | bool
    origin: str | float | bool


class ReaderHelios(TypedDict, total=False):
    """cluster_log.csv of SenseTime's Helios, and similar tables of GPU clusters (Acme)"""

    use: Required[Literal['helios']]
    file: str | float | bool
    processors: Literal['cpu', 'gpu']
    time_unit: float | str
    zone: str | float | bool
    origin: str | float | bool


class ReaderSwim(TypedDict, total=False):
    """Hadoop workloads of SWIM: jobs as bytes, from which maps and reduces are derived"""

    use: Required[Literal['swim']]
    file: str | float | bool
    block_size: int | str
    reduce_size: int | str
    map_rate: int | str
    reduce_rate: int | str
    startup: float | str
    cpus: float
    memory: int | str
    time_unit: float | str
    origin: str | float | bool


class ReaderNative(TypedDict, total=False):
    """a list of tasks in YAML or JSON, with profiles and jobs; reads DSLab-CS's workloads"""

    use: Required[Literal['native']]
    file: str | float | bool
    profiles: str | float | bool
    collections: str | float | bool
    cpu_speed: float
    time_unit: float | str
    memory_unit: int | str
    refers: Literal['any', 'job', 'none']
    unknown_keys: Literal['refuse', 'ignore']
    origin: str | float | bool


class ReaderGoogle2011(TypedDict, total=False):
    """Google's cluster trace of 2011: events of tasks, with the other tables of the trace"""

    use: Required[Literal['google2011']]
    file: str | float | bool
    parts: str | float | bool | Sequence[str | float | bool]
    jobs: str | float | bool
    usage: str | float | bool
    usage_steps: int
    constraints: str | float | bool
    reading: Literal['requested', 'measured']
    attempts: Literal['last', 'each', 'sum']
    merge: Literal['evict', 'fail', 'finish', 'kill', 'lost'] | Sequence[Literal['evict', 'fail', 'finish', 'kill', 'lost']]
    resubmit: float | str
    ends: Literal['evict', 'fail', 'finish', 'kill', 'lost'] | Sequence[Literal['evict', 'fail', 'finish', 'kill', 'lost']]
    without: Literal['submit', 'queue', 'enable', 'schedule', 'evict', 'fail', 'finish', 'kill', 'lost', 'update_pending', 'update_running'] | Sequence[Literal['submit', 'queue', 'enable', 'schedule', 'evict', 'fail', 'finish', 'kill', 'lost', 'update_pending', 'update_running']]
    updates: Literal['last', 'first', 'largest', 'in_place']
    initial: Literal['keep', 'reject']
    unfinished: Literal['keep', 'reject']
    missing: Literal['keep', 'reject']
    window: float | str
    held: int
    cpu_scale: float
    memory_scale: int | str
    time_unit: float | str
    origin: float | str
    disk_scale: int | str


class ReaderGoogle2019(TypedDict, total=False):
    """Google's cluster traces of 2019, exported as CSV or JSON lines"""

    use: Required[Literal['google2019']]
    file: str | float | bool
    parts: str | float | bool | Sequence[str | float | bool]
    jobs: str | float | bool
    usage: str | float | bool
    usage_steps: int
    arrival: Literal['submit', 'enable']
    amounts: Literal['rounded', 'whole_cores']
    reading: Literal['requested', 'measured']
    attempts: Literal['last', 'each', 'sum']
    merge: Literal['evict', 'fail', 'finish', 'kill', 'lost'] | Sequence[Literal['evict', 'fail', 'finish', 'kill', 'lost']]
    resubmit: float | str
    ends: Literal['evict', 'fail', 'finish', 'kill', 'lost'] | Sequence[Literal['evict', 'fail', 'finish', 'kill', 'lost']]
    without: Literal['submit', 'queue', 'enable', 'schedule', 'evict', 'fail', 'finish', 'kill', 'lost', 'update_pending', 'update_running'] | Sequence[Literal['submit', 'queue', 'enable', 'schedule', 'evict', 'fail', 'finish', 'kill', 'lost', 'update_pending', 'update_running']]
    updates: Literal['last', 'first', 'largest', 'in_place']
    initial: Literal['keep', 'reject']
    unfinished: Literal['keep', 'reject']
    missing: Literal['keep', 'reject']
    window: float | str
    held: int
    cpu_scale: float
    memory_scale: int | str
    time_unit: float | str
    origin: float | str


class ReaderAlibabaV2017(TypedDict, total=False):
    """batch_task.csv or batch_instance.csv of Alibaba's trace of 2017"""

    use: Required[Literal['alibaba_v2017']]
    file: str | float | bool
    time_unit: float | str
    origin: str | float | bool
    cpu_scale: int
    memory_scale: int | str
    default_cpu: float
    default_memory: int | str
    table: Literal['auto', 'task', 'instance']
    amount: Literal['max', 'avg']
    statuses: Literal['terminated', 'ended']


class ReaderAlibabaV2018(TypedDict, total=False):
    """batch_task.csv of Alibaba's trace of 2018: jobs of tasks of instances, with their DAG"""

    use: Required[Literal['alibaba_v2018']]
    file: str | float | bool
    time_unit: float | str
    origin: str | float | bool
    cpu_scale: int
    memory_scale: int | str
    default_cpu: float
    default_memory: int | str
    statuses: Literal['terminated', 'ended']
    submit: Literal['job', 'task']
    run: Literal['span', 'ready']
    window: int


class ReaderAlibabaV2018Instances(TypedDict, total=False):
    """batch_instance.csv of Alibaba's trace of 2018: a task for each instance that ran"""

    use: Required[Literal['alibaba_v2018_instances']]
    file: str | float | bool
    time_unit: float | str
    origin: str | float | bool
    cpu_scale: int
    memory_scale: int | str
    default_cpu: float
    default_memory: int | str
    reading: Literal['measured', 'requested']
    amount: Literal['max', 'avg']
    tasks: str | float | bool
    tasks_window: int
    statuses: Literal['terminated', 'ended']
    dependencies: Literal['none', 'names']


class ReaderAlibabaV2018Containers(TypedDict, total=False):
    """container_meta.csv of Alibaba's trace of 2018: containers of online services, which run for long"""

    use: Required[Literal['alibaba_v2018_containers']]
    file: str | float | bool
    time_unit: float | str
    origin: str | float | bool
    cpu_scale: int
    memory_scale: int | str
    default_cpu: float
    default_memory: int | str
    trace_end: float | str
    usage: str | float | bool
    usage_steps: int
    usage_interval: float | str


class ReaderAlibabaV2020(TypedDict, total=False):
    """pai_task_table or pai_instance_table of Alibaba's GPU trace of 2020 (PAI)"""

    use: Required[Literal['alibaba_v2020']]
    file: str | float | bool
    time_unit: float | str
    origin: str | float | bool
    cpu_scale: int
    memory_scale: int | str
    default_cpu: float
    default_memory: int | str
    table: Literal['auto', 'task', 'instance']
    jobs: str | float | bool
    tasks: str | float | bool
    window: int
    gang: bool | Literal['yes', 'no', 'on', 'off']
    gpu_type: Literal['require', 'ignore']
    statuses: Literal['terminated', 'ended']


class ReaderAlibabaV2023(TypedDict, total=False):
    """pod lists of Alibaba's GPU trace of 2023 (openb)"""

    use: Required[Literal['alibaba_v2023']]
    file: str | float | bool
    time_unit: float | str
    origin: str | float | bool
    cpu_scale: int
    memory_scale: int | str
    default_cpu: float
    default_memory: int | str
    pending: Literal['cancelled', 'run']
    interval: float | str
    run: float | str
    trace_end: float | str


class ReaderAlibabaV2025(TypedDict, total=False):
    """disaggregated_DLRM_trace.csv, Alibaba's GPU trace of 2025: instances of inference services"""

    use: Required[Literal['alibaba_v2025']]
    file: str | float | bool
    time_unit: float | str
    origin: str | float | bool
    cpu_scale: int
    memory_scale: int | str
    default_cpu: float
    default_memory: int | str
    before: Literal['start', 'reject']
    rdma: Literal['require', 'ignore']
    trace_end: float | str


class ReaderAlibabaV2026(TypedDict, total=False):
    """job_info_df.csv, Alibaba's GPU trace of 2026: high-priority and spot jobs"""

    use: Required[Literal['alibaba_v2026']]
    file: str | float | bool
    time_unit: float | str
    origin: str | float | bool
    cpu_scale: int
    memory_scale: int | str
    default_cpu: float
    default_memory: int | str
    gang: bool | Literal['yes', 'no', 'on', 'off']
    gpu_model: Literal['require', 'ignore']


class ReaderAzureV1(TypedDict, total=False):
    """vmtable.csv of Azure's trace of 2017: virtual machines"""

    use: Required[Literal['azure_v1']]
    file: str | float | bool
    time_unit: float | str
    origin: str | float | bool


class ReaderAzureFunctions(TypedDict, total=False):
    """the Azure Functions dataset of 2019: a task for each invocation"""

    use: Required[Literal['azure_functions']]
    file: str | float | bool
    durations: str | float | bool
    memory: str | float | bool
    spread: Literal['drawn', 'even']
    memory_is: Literal['average', 'pct50', 'pct99', 'pct100']
    share: float
    least: float | str
    time_unit: float | str
    origin: str | float | bool
    stream: int


#: jobs that ran at the beginning, from a file of Google's cluster simulator
ReaderCellState = TypedDict('ReaderCellState', {
    'use': "Literal['cell_state']",
    'file': "str | float | bool",
    'cpus': "float",
    'class': "int",
    'time_unit': "float | str",
    'remaining': "float | str",
    'origin': "str | float | bool",
}, total=False)


class ReaderCache(TypedDict, total=False):
    """a workload that `trace convert --to cache` made: binary, with checksums, read many times faster than
    its source"""

    use: Required[Literal['cache']]
    file: str | float | bool
    time_unit: float | str
    origin: str | float | bool


class ReaderYtOperations(TypedDict, total=False):
    """operations of YTsaurus's scheduler simulator, as YSON text or JSON"""

    use: Required[Literal['yt_operations']]
    file: str | float | bool
    shift_operations_to_start: bool | Literal['yes', 'no', 'on', 'off']
    weight_unit: float
    time_unit: float | str
    origin: str | float | bool


class ReaderDax(TypedDict, total=False):
    """a workflow of Pegasus (DAX, XML)"""

    use: Required[Literal['dax']]
    file: str | float | bool
    submit: float | str
    job: int
    reference_speed: float | str
    missing_size: Literal['error', 'zero']
    time_unit: float | str
    origin: str | float | bool


class ReaderWfcommons(TypedDict, total=False):
    """a workflow of WfCommons (JSON, schemas 1.4 and 1.5)"""

    use: Required[Literal['wfcommons']]
    file: str | float | bool
    submit: float | str
    job: int
    reference_speed: float | str
    missing_size: Literal['error', 'zero']
    time_unit: float | str
    origin: str | float | bool


class ReaderSynthetic(TypedDict, total=False):
    """generates tasks from distributions of arrivals, run times, sizes, estimates and users"""

    use: Required[Literal['synthetic']]
    tasks: int
    until: float | str
    procs: int
    stream: int
    arrival: Literal['exponential', 'lognormal', 'weibull', 'hyperexponential', 'gamma', 'constant']
    arrival_mean: float | str
    arrival_cv: float
    load: float
    daily: float | Sequence[float]
    weekly: float | Sequence[float]
    day: Literal['none', 'calzarossa_serazzi']
    run: Literal['exponential', 'lognormal', 'weibull', 'hyperexponential', 'gamma', 'constant', 'loguniform']
    run_mean: float | str
    run_cv: float
    run_min: float | str
    run_max: float | str
    size: Literal['powers_of_two', 'loguniform', 'uniform', 'constant']
    serial: float
    size_min: int
    size_max: int
    estimate: Literal['exact', 'factor', 'popular']
    estimate_factor: float
    users: int
    user_exponent: float
    whole_seconds: bool | Literal['yes', 'no', 'on', 'off']
    user_names: str | float | bool
    task_names: str | float | bool


class ReaderLublin(TypedDict, total=False):
    """generates batch and interactive jobs by the model of Lublin and Feitelson"""

    use: Required[Literal['lublin']]
    tasks: int
    until: float | str
    procs: int
    type: Literal['both', 'batch', 'interactive', 'merged']
    estimate: Literal['exact', 'factor']
    estimate_factor: float
    clock: Literal['published', 'exact']
    sizes: Literal['moved', 'log2']
    gap_scale: float
    stream: int
    batch_serial: float
    batch_pow2: float
    batch_u_low: float
    batch_u_med: float
    batch_u_hi: float
    batch_u_prob: float
    batch_a1: float
    batch_b1: float
    batch_a2: float
    batch_b2: float
    batch_pa: float
    batch_pb: float
    batch_a_arr: float
    batch_b_arr: float
    batch_a_num: float
    batch_b_num: float
    batch_arar: float
    interactive_serial: float
    interactive_pow2: float
    interactive_u_low: float
    interactive_u_med: float
    interactive_u_hi: float
    interactive_u_prob: float
    interactive_a1: float
    interactive_b1: float
    interactive_a2: float
    interactive_b2: float
    interactive_pa: float
    interactive_pb: float
    interactive_a_arr: float
    interactive_b_arr: float
    interactive_a_num: float
    interactive_b_num: float
    interactive_arar: float
    merged_serial: float
    merged_pow2: float
    merged_u_low: float
    merged_u_med: float
    merged_u_hi: float
    merged_u_prob: float
    merged_a1: float
    merged_b1: float
    merged_a2: float
    merged_b2: float
    merged_pa: float
    merged_pb: float
    merged_a_arr: float
    merged_b_arr: float
    merged_a_num: float
    merged_b_num: float
    merged_arar: float


class ReaderFeitelson96(TypedDict, total=False):
    """generates parallel jobs by the model of Feitelson (1996): powers of two, and repeated runs"""

    use: Required[Literal['feitelson96']]
    tasks: int
    until: float | str
    stream: int
    procs: int
    interval: float | str
    size_exponent: float
    power_factor: float
    even_factor: float
    even_up_to: int
    full_factor: float
    variant: Literal['1996', '1997']
    unit: float | str
    mean_short: float
    mean_long: float
    p_short: float
    p_slope: float
    repeats: Literal['open', 'closed', 'none']
    repeat_exponent: float
    repeats_most: int
    repeat_run: Literal['same', 'drawn']
    think: float | str
    whole_seconds: bool | Literal['yes', 'no', 'on', 'off']


class ReaderJann97(TypedDict, total=False):
    """generates parallel jobs by the model of Jann and others: a hyper-Erlang law for each range of sizes"""

    use: Required[Literal['jann97']]
    tasks: int
    until: float | str
    stream: int
    procs: int
    sizes: int | Sequence[int]
    fit: AnyReader
    strict_fit: bool | Literal['yes', 'no', 'on', 'off']
    gap_order: int | Sequence[int]
    gap_p: float | Sequence[float]
    gap_lambda1: float | Sequence[float]
    gap_lambda2: float | Sequence[float]
    run_order: int | Sequence[int]
    run_p: float | Sequence[float]
    run_lambda1: float | Sequence[float]
    run_lambda2: float | Sequence[float]
    within: Literal['uniform', 'top']
    whole_seconds: bool | Literal['yes', 'no', 'on', 'off']


class ReaderDowney97(TypedDict, total=False):
    """generates parallel jobs by the model of Downey (1997), each with a size chosen by a rule"""

    use: Required[Literal['downey97']]
    tasks: int
    until: float | str
    stream: int
    procs: int
    interval: float | str
    daily: float | Sequence[float]
    weekly: float | Sequence[float]
    day: Literal['none', 'calzarossa_serazzi']
    length: Literal['lifetime', 'work']
    run_min: float | str
    run_max: float | str
    work_min: float
    work_max: float
    sigma_min: float
    sigma_max: float
    allocation: Literal['average_parallelism', 'serial', 'full', 'saturated', 'efficiency']
    efficiency: float
    whole_seconds: bool | Literal['yes', 'no', 'on', 'off']


class ReaderPolezhaev(TypedDict, total=False):
    """generates parallel jobs with memory and disk for a given cluster, as Polezhaev's study does"""

    use: Required[Literal['polezhaev']]
    tasks: int
    until: float | str
    stream: int
    rate: float
    class_count: int | Sequence[int]
    class_memory: int | str | Sequence[int | str]
    class_disk: int | str | Sequence[int | str]
    serial: float
    first_stage: float
    power: float
    power_of: Literal['parallel', 'all']
    cut: float
    estimate_factor: float
    demand: Literal['nodes', 'job', 'none']
    fill: float
    least: int | str


class ReaderMixture(TypedDict, total=False):
    """generates jobs from laws of chance: mixtures, empirical values, demand vectors, DAGs, cycles"""

    use: Required[Literal['mixture']]
    jobs: int
    until: float | str
    stream: int
    procs: int
    interval: str | float | bool
    load: float
    daily: float | Sequence[float]
    weekly: float | Sequence[float]
    day: Literal['none', 'calzarossa_serazzi']
    run: str | float | bool
    tasks_per_job: str | float | bool
    bundle: bool | Literal['yes', 'no', 'on', 'off']
    dag: Literal['none', 'chain', 'fan_in', 'fan_out', 'diamond', 'tree', 'layers', 'mixed']
    size: str | float | bool
    hosts: str | float | bool
    spread: bool | Literal['yes', 'no', 'on', 'off']
    cpu: str | float | bool
    memory: str | float | bool
    gpu: str | float | bool
    disk: str | float | bool
    limit_factor: str | float | bool
    limit_round: float | str
    priority: str | float | bool
    users: int
    user_exponent: float
    groups: int
    whole_seconds: bool | Literal['yes', 'no', 'on', 'off']


class ReaderRandom(TypedDict, total=False):
    """generates one user's tasks as DSLab-CS does: uniform gaps and demands, normal run times"""

    use: Required[Literal['random']]
    execution_count: int
    until: float | str
    stream: int
    user: str | float | bool
    collection_id: int
    start_time: float | str
    delay_min: float | str
    delay_max: float | str
    cpu_min: int
    cpu_max: int
    memory_min: int | str
    memory_max: int | str
    nodes_count_min: int
    nodes_count_max: int
    alike: bool | Literal['yes', 'no', 'on', 'off']
    measure: Literal['duration', 'work']
    duration_mean: float
    duration_dev: float
    speed: float


class ReaderAlibabaLike(TypedDict, total=False):
    """generates a stream like Alibaba's batch instances of 2018, at 1,727 small tasks in a second"""

    use: Required[Literal['alibaba_like']]
    tasks: int
    until: float | str
    stream: int
    rate: float
    daily: float | Sequence[float]
    weekly: float | Sequence[float]
    run: str | float | bool
    cpu: str | float | bool
    memory: str | float | bool
    limit: Literal['exact', 'none']
    users: int
    user_exponent: float
    shape: Literal['tasks', 'jobs']
    tasks_per_job: str | float | bool
    instances: str | float | bool
    dag: Literal['none', 'chain', 'fan_in', 'fan_out', 'diamond', 'tree', 'layers', 'mixed']
    bundle: bool | Literal['yes', 'no', 'on', 'off']


class ReaderGoogleLike(TypedDict, total=False):
    """generates batch and service jobs like those of the Omega paper and Google's trace of 2011"""

    use: Required[Literal['google_like']]
    jobs: int
    until: float | str
    stream: int
    kind: Literal['both', 'batch', 'service']
    start: Literal['empty', 'steady']
    bundle: bool | Literal['yes', 'no', 'on', 'off']
    daily: float | Sequence[float]
    weekly: float | Sequence[float]
    batch_interval: str | float | bool
    batch_tasks: str | float | bool
    batch_run: str | float | bool
    batch_cpu: str | float | bool
    batch_memory: str | float | bool
    batch_rate: float
    batch_priority: int
    service_interval: str | float | bool
    service_tasks: str | float | bool
    service_run: str | float | bool
    service_cpu: str | float | bool
    service_memory: str | float | bool
    service_rate: float
    service_priority: int


class ReaderPrefill(TypedDict, total=False):
    """generates jobs that ran at the beginning, from laws, up to a number of cores"""

    use: Required[Literal['prefill']]
    cpus: float
    tasks_per_job: str | float | bool
    cpu: str | float | bool
    memory: str | float | bool
    remaining: str | float | bool
    priority: int
    stream: int


#: generates tasks like those of a log: its rows drawn again, at the rates of the hours of its week
ReaderResample = TypedDict('ReaderResample', {
    'use': "Literal['resample']",
    'from': "AnyReader",
    'tasks': "int",
    'until': "float | str",
    'start': "float | str",
    'rate': "float",
    'arrivals': "Literal['gaps', 'poisson']",
    'cycle': "Literal['week', 'day', 'none']",
    'smooth': "float",
    'grain': "float | str",
    'rows': "int",
    'learn': "int",
    'procs': "int",
    'stream': "int",
}, total=False)


#: a closed loop: users who wait for their jobs, think, rest and try again
ReaderUsers = TypedDict('ReaderUsers', {
    'use': "Literal['users']",
    'from': "AnyReader",
    'users': "int",
    'user': "str | float | bool",
    'one_job': "bool | Literal['yes', 'no', 'on', 'off']",
    'think': "str | float | bool",
    'batch': "str | float | bool",
    'spacing': "str | float | bool",
    'session': "str | float | bool",
    'rest': "str | float | bool",
    'start': "str | float | bool",
    'resubmit': "Literal['never', 'timeout', 'failure', 'any']",
    'attempts': "int",
    'factor': "float",
    'cap': "float | str",
    'retry_after': "str | float | bool",
    'tasks': "int",
    'until': "float | str",
    'ahead': "int",
    'stream': "int",
}, total=False)


AnyWriter: TypeAlias = "Literal['swf', 'csv', 'sacct', 'gwf', 'batsim', 'native', 'alibaba_v2017', 'alibaba_v2018', 'alibaba_v2018_instances', 'alibaba_v2018_containers', 'alibaba_v2020', 'alibaba_v2023', 'alibaba_v2025', 'alibaba_v2026', 'azure_v1', 'google2011', 'google2019', 'helios', 'philly', 'swim', 'cache', 'pseudo_cluster'] | WriterSwf | WriterCsv | WriterSacct | WriterGwf | WriterBatsim | WriterNative | WriterAlibabaV2017 | WriterAlibabaV2018 | WriterAlibabaV2018Instances | WriterAlibabaV2018Containers | WriterAlibabaV2020 | WriterAlibabaV2023 | WriterAlibabaV2025 | WriterAlibabaV2026 | WriterAzureV1 | WriterGoogle2011 | WriterGoogle2019 | WriterHelios | WriterPhilly | WriterSwim | WriterCache | WriterPseudoCluster"


class WriterSwf(TypedDict, total=False):
    """Standard Workload Format of the Parallel Workloads Archive"""

    use: Required[Literal['swf']]


class WriterCsv(TypedDict, total=False):
    """a table with titles, whose columns are called like the parameters of the reader csv"""

    use: Required[Literal['csv']]
    after_how: Literal['ended', 'completed', 'failed', 'started']
    columns: Literal['auto', 'all', 'batch']


class WriterSacct(TypedDict, total=False):
    """Slurm accounting records, as sacct --parsable2 prints them"""

    use: Required[Literal['sacct']]


class WriterGwf(TypedDict, total=False):
    """Grid Workload Format of the Grid Workloads Archive"""

    use: Required[Literal['gwf']]


class WriterBatsim(TypedDict, total=False):
    """a workload of Batsim (JSON) whose profiles are delays"""

    use: Required[Literal['batsim']]
    version: Literal['4', '5']


class WriterNative(TypedDict, total=False):
    """Hindcast's native YAML workload, with everything that is known of each task; or that of DSLab-CS"""

    use: Required[Literal['native']]
    dialect: Literal['full', 'dslab']
    memory_unit: int | str


class WriterAlibabaV2017(TypedDict, total=False):
    """batch_task.csv or batch_instance.csv of Alibaba's trace of 2017"""

    use: Required[Literal['alibaba_v2017']]
    table: Literal['task', 'instance']
    memory_scale: int | str
    offset: float | str


class WriterAlibabaV2018(TypedDict, total=False):
    """batch_task.csv of the Alibaba v2018 trace: a row for each task with its instances"""

    use: Required[Literal['alibaba_v2018']]
    memory_scale: int | str
    offset: float | str


class WriterAlibabaV2018Instances(TypedDict, total=False):
    """batch_instance.csv of the Alibaba v2018 trace: a row for each instance that ran"""

    use: Required[Literal['alibaba_v2018_instances']]
    memory_scale: int | str
    offset: float | str


class WriterAlibabaV2018Containers(TypedDict, total=False):
    """container_meta.csv of Alibaba's trace of 2018: a container for each task"""

    use: Required[Literal['alibaba_v2018_containers']]
    memory_scale: int | str
    trace_end: float | str


class WriterAlibabaV2020(TypedDict, total=False):
    """pai_task_table, pai_instance_table or pai_job_table of Alibaba's GPU trace of 2020 (PAI)"""

    use: Required[Literal['alibaba_v2020']]
    table: Literal['task', 'instance', 'job']


class WriterAlibabaV2023(TypedDict, total=False):
    """a pod list of the Alibaba v2023 GPU trace (openb): a row for each pod"""

    use: Required[Literal['alibaba_v2023']]


class WriterAlibabaV2025(TypedDict, total=False):
    """disaggregated_DLRM_trace.csv of Alibaba's GPU trace of 2025: a row for each instance"""

    use: Required[Literal['alibaba_v2025']]
    trace_end: float | str


class WriterAlibabaV2026(TypedDict, total=False):
    """job_info_df.csv of Alibaba's GPU trace of 2026: a row for each task, written as a job of workers"""

    use: Required[Literal['alibaba_v2026']]


class WriterAzureV1(TypedDict, total=False):
    """vmtable.csv of Azure's trace of 2017: a virtual machine for each slot"""

    use: Required[Literal['azure_v1']]


class WriterGoogle2011(TypedDict, total=False):
    """task_events of the Google cluster trace of 2011: submit, schedule and end of each task"""

    use: Required[Literal['google2011']]
    cpu_scale: float
    memory_scale: int | str
    offset: float | str
    live: int
    disk_scale: int | str


class WriterGoogle2019(TypedDict, total=False):
    """a table of Google's cluster traces of 2019, as JSON lines: instance_events or collection_events"""

    use: Required[Literal['google2019']]
    table: Literal['instance_events', 'collection_events']
    cpu_scale: float
    memory_scale: int | str
    offset: float | str
    live: int


class WriterHelios(TypedDict, total=False):
    """cluster_log.csv in the form of the Helios data set: GPUs, cores and hosts of each job"""

    use: Required[Literal['helios']]


class WriterPhilly(TypedDict, total=False):
    """the job log of Microsoft's Philly (cluster_job_log, JSON): jobs with attempts, machines and GPUs"""

    use: Required[Literal['philly']]
    zone: str | float | bool
    cpus_per_gpu: float
    memory_per_gpu: int | str


class WriterSwim(TypedDict, total=False):
    """a workload of SWIM: bytes that each job reads, shuffles and writes, from assumed rates"""

    use: Required[Literal['swim']]
    block_size: int | str
    reduce_size: int | str
    map_rate: int | str
    reduce_rate: int | str
    startup: float | str
    cpus: float
    memory: int | str


class WriterCache(TypedDict, total=False):
    """a compact binary form that keeps everything and is read many times faster than the source"""

    use: Required[Literal['cache']]


class WriterPseudoCluster(TypedDict, total=False):
    """statistics.csv of pseudo-cluster, a row for each job with tabs between columns; and its maps"""

    use: Required[Literal['pseudo_cluster']]
    table: Literal['statistics', 'users_map', 'groups_map', 'user_in_groups_map']
    masked: bool | Literal['yes', 'no', 'on', 'off']


AnyTransform: TypeAlias = "Literal['window', 'prefill', 'first', 'filter', 'sample', 'clamp', 'shift', 'load', 'scale', 'shake', 'repeat', 'renumber', 'estimates', 'tsafrir', 'past_limits', 'lie', 'malleable', 'needs', 'greenest'] | TransformWindow | TransformPrefill | TransformFirst | TransformFilter | TransformSample | TransformClamp | TransformShift | TransformLoad | TransformScale | TransformShake | TransformRepeat | TransformRenumber | TransformEstimates | TransformTsafrir | TransformPastLimits | TransformLie | TransformMalleable | TransformNeeds | TransformGreenest | type[Transform]"


#: keep tasks submitted in [from, to)
TransformWindow = TypedDict('TransformWindow', {
    'use': "Literal['window']",
    'from': "float | str",
    'to': "float | str",
}, total=False)


class TransformPrefill(TypedDict, total=False):
    """begin in the middle of a trace: tasks that ran at that time run on, for the rest of their run time"""

    use: Required[Literal['prefill']]
    at: float | str


class TransformFirst(TypedDict, total=False):
    """keep the first n tasks in order of submission"""

    use: Required[Literal['first']]
    count: int


class TransformFilter(TypedDict, total=False):
    """keep or drop tasks by user, group, queue, partition, status or an expression"""

    use: Required[Literal['filter']]
    user: int | Sequence[int]
    group: int | Sequence[int]
    queue: int | Sequence[int]
    partition: int | Sequence[int]
    status: int | Sequence[int]
    where: str | float | bool
    action: Literal['keep', 'drop']


class TransformSample(TypedDict, total=False):
    """keep a random part of the tasks or of the users"""

    use: Required[Literal['sample']]
    fraction: float
    by: Literal['task', 'user']


class TransformClamp(TypedDict, total=False):
    """bound run time, limit and processors, or leave out what exceeds a bound"""

    use: Required[Literal['clamp']]
    run: float | str
    limit: float | str
    procs: int
    action: Literal['clamp', 'reject']


class TransformShift(TypedDict, total=False):
    """move all submissions so that the first is at a chosen time"""

    use: Required[Literal['shift']]
    to: float | str


class TransformLoad(TypedDict, total=False):
    """make the workload offer a chosen load"""

    use: Required[Literal['load']]
    to: float
    definition: Literal['offered', 'polezhaev']
    speed: float
    method: Literal['arrivals', 'run', 'processors']
    grain: float | str
    processors: int


class TransformScale(TypedDict, total=False):
    """make the workload heavier or lighter by a factor"""

    use: Required[Literal['scale']]
    factor: float
    method: Literal['arrivals', 'run', 'processors']
    grain: float | str
    processors: int


class TransformShake(TypedDict, total=False):
    """move submissions and run times a little, differently in each replication"""

    use: Required[Literal['shake']]
    submit: float | str
    submit_law: Literal['uniform', 'normal', 'sign']
    run: float
    run_law: Literal['uniform', 'normal', 'sign']
    by: Literal['task', 'user']
    order: Literal['sort', 'keep']
    limits: Literal['raise', 'scale', 'cut']
    grain: float | str


class TransformRepeat(TypedDict, total=False):
    """the workload several times over, end to end"""

    use: Required[Literal['repeat']]
    times: int
    gap: float | str
    id_offset: int


#: number tasks 1, 2, 3 ... in order of submission
TransformRenumber = TypedDict('TransformRenumber', {
    'use': "Literal['renumber']",
    'from': "int",
    'preceding': "Literal['map', 'drop']",
}, total=False)


class TransformEstimates(TypedDict, total=False):
    """give every task an estimate made from its run time: exact, f, phi or multiplicative"""

    use: Required[Literal['estimates']]
    model: Literal['exact', 'f', 'phi', 'multiplicative']
    reading: Literal['one_plus_f', 'one_to_f']
    f: float
    phi: float
    factor: float
    round: float | str
    max_estimate: float | str
    stream: int


class TransformTsafrir(TypedDict, total=False):
    """give every task an estimate as users give it: one of a few round, popular values, never below its
    run time"""

    use: Required[Literal['tsafrir']]
    max_estimate: float | str
    bins: int
    rule: Literal['table', 'power']
    popular: float | str | Sequence[float | str]
    longest_first: bool | Literal['yes', 'no', 'on', 'off']
    infeasible: Literal['error', 'raise']
    most: int
    stream: int


class TransformPastLimits(TypedDict, total=False):
    """let tasks ask for the limit that would have covered earlier runs of their user and program"""

    use: Required[Literal['past_limits']]
    before: float | str
    cover: float
    runs: int
    per: Literal['program', 'user']
    round: float | str


class TransformLie(TypedDict, total=False):
    """a user states false demands, or appears as several users"""

    use: Required[Literal['lie']]
    user: int
    dimension: str | float | bool
    factor: float
    under: Literal['stretch', 'fail']
    to: float | Sequence[float]
    identities: int
    alias: int


class TransformMalleable(TypedDict, total=False):
    """make tasks malleable or moldable, so that a policy settles their sizes"""

    use: Required[Literal['malleable']]
    least: float
    most: float
    share: float
    where: str | float | bool
    at: Literal['running', 'start', 'both']
    speedup: AnySpeedup
    sizes: Literal['all', 'powers']


class TransformNeeds(TypedDict, total=False):
    """tasks ask for an amount of a licence that a formula gives: for caps on power or bandwidth"""

    use: Required[Literal['needs']]
    of: str | float | bool
    amount: str | float | bool


class TransformGreenest(TypedDict, total=False):
    """tasks that can wait are held until energy is cheapest, or causes least carbon"""

    use: Required[Literal['greenest']]
    tariff: str | float | bool
    by: Literal['price', 'carbon']
    delay: float | str
    length: Literal['limit', 'run']
    where: str | float | bool
    carbon_column: str | float | bool
    unix_start: Literal['unknown'] | int


AnyCell: TypeAlias = "Literal['auto', 'count', 'intervals', 'accasim', 'hosts', 'host_list', 'lognormal', 'alibaba_v2017', 'alibaba_v2018', 'alibaba_v2020', 'alibaba_v2023', 'alibaba_v2026', 'google2011', 'google2019', 'yt_nodes', 'simgrid', 'slurm'] | CellAuto | CellCount | CellIntervals | CellAccasim | CellHosts | CellHostList | CellLognormal | CellAlibabaV2017 | CellAlibabaV2018 | CellAlibabaV2020 | CellAlibabaV2023 | CellAlibabaV2026 | CellGoogle2011 | CellGoogle2019 | CellYtNodes | CellSimgrid | CellSlurm"


class CellAuto(TypedDict, total=False):
    """the machine that the trace's header describes"""

    use: Literal['auto']
    procs: int
    granularity: Literal['count', 'intervals']


class CellCount(TypedDict, total=False):
    """a number of processors: the fastest cell"""

    use: Required[Literal['count']]
    procs: int


class CellIntervals(TypedDict, total=False):
    """processors with ids, among which placements choose"""

    use: Required[Literal['intervals']]
    procs: int
    per_node: int


#: the machine of an AccaSim system configuration
CellAccasim = TypedDict('CellAccasim', {
    'use': "Literal['accasim']",
    'file': "str | float | bool",
    'as': "Literal['processors', 'hosts']",
    'memory_unit': "int | str",
}, total=False)


class CellHosts(TypedDict, total=False):
    """hosts, each with its own amounts, described class by class"""

    use: Required[Literal['hosts']]
    classes: AnyClass | Sequence[AnyClass]
    zones: AnyLevel | Sequence[AnyLevel]
    sets: AnySet | Sequence[AnySet]
    licences: str | float | bool | Sequence[str | float | bool]


class CellHostList(TypedDict, total=False):
    """hosts from a table with a row for each, or for several, and any columns"""

    use: Required[Literal['host_list']]
    file: str | float | bool
    separator: Literal['auto', 'comma', 'tab', 'semicolon', 'bar']
    header: bool | Literal['yes', 'no', 'on', 'off']
    name: str | float | bool
    count: str | float | bool
    cpus: str | float | bool
    memory: str | float | bool
    disk: str | float | bool
    gpus: str | float | bool
    gpu_model: str | float | bool
    features: str | float | bool
    speed: str | float | bool
    attributes: str | float | bool | Sequence[str | float | bool]
    amounts: str | float | bool | Sequence[str | float | bool]
    zones: str | float | bool | Sequence[str | float | bool]
    cpu_unit: Literal['cores', 'milli']
    memory_unit: Literal['bytes', 'kB', 'KiB', 'MB', 'MiB', 'GB', 'GiB', 'TB', 'TiB']
    disk_unit: Literal['bytes', 'kB', 'KiB', 'MB', 'MiB', 'GB', 'GiB', 'TB', 'TiB']
    sets: AnySet | Sequence[AnySet]
    licences: str | float | bool | Sequence[str | float | bool]


class CellLognormal(TypedDict, total=False):
    """hosts of random sizes: cores and memory lognormal, with a given ratio of their sums"""

    use: Required[Literal['lognormal']]
    count: int
    seed: int
    sigma: float
    ratio: int | str
    cpus: float
    least_cpus: float
    most_cpus: float
    memory: int | str
    least_memory: int | str
    most_memory: int | str
    name_prefix: str | float | bool


class CellAlibabaV2017(TypedDict, total=False):
    """the machines of Alibaba's cluster trace of 2017 (server_event.csv)"""

    use: Required[Literal['alibaba_v2017']]
    file: str | float | bool
    memory_scale: int | str
    errors: Literal['all', 'hard', 'none']
    repair: float | str


class CellAlibabaV2018(TypedDict, total=False):
    """the machines of Alibaba's cluster trace of 2018 (machine_meta.csv)"""

    use: Required[Literal['alibaba_v2018']]
    file: str | float | bool
    memory_scale: int | str


class CellAlibabaV2020(TypedDict, total=False):
    """the machines of Alibaba's GPU cluster trace of 2020 (pai_machine_spec)"""

    use: Required[Literal['alibaba_v2020']]
    file: str | float | bool
    memory_scale: int | str


class CellAlibabaV2023(TypedDict, total=False):
    """the nodes of Alibaba's GPU cluster trace of 2023 (openb_node_list)"""

    use: Required[Literal['alibaba_v2023']]
    file: str | float | bool
    memory_scale: int | str


class CellAlibabaV2026(TypedDict, total=False):
    """the nodes of Alibaba's GPU cluster trace of 2026 (node_info_df)"""

    use: Required[Literal['alibaba_v2026']]
    file: str | float | bool


class CellGoogle2011(TypedDict, total=False):
    """the machines of Google's cluster trace of 2011 (machine_events)"""

    use: Required[Literal['google2011']]
    file: str | float | bool
    attributes: str | float | bool
    cpu_scale: float
    memory_scale: int | str
    time_unit: float | str
    origin: float | str


class CellGoogle2019(TypedDict, total=False):
    """the machines of Google's cluster trace of 2019 (machine_events)"""

    use: Required[Literal['google2019']]
    file: str | float | bool
    attributes: str | float | bool
    cpu_scale: float
    memory_scale: int | str
    time_unit: float | str
    origin: float | str


class CellYtNodes(TypedDict, total=False):
    """the node groups of YTsaurus's scheduler simulator"""

    use: Required[Literal['yt_nodes']]
    file: str | float | bool


class CellSimgrid(TypedDict, total=False):
    """the hosts of a platform of SimGrid, from its XML file"""

    use: Required[Literal['simgrid']]
    file: str | float | bool
    flops: float
    leave_out: str | float | bool | Sequence[str | float | bool]
    storage: str | float | bool | Sequence[str | float | bool]
    roles: Literal['none', 'batsim', 'elastisim']
    whole_hosts: bool | Literal['yes', 'no', 'on', 'off']
    order: Literal['file', 'name', 'batsim', 'batsim5']
    most: int
    sets: AnySet | Sequence[AnySet]
    licences: str | float | bool | Sequence[str | float | bool]


class CellSlurm(TypedDict, total=False):
    """the nodes, partitions and licences of a slurm.conf"""

    use: Required[Literal['slurm']]
    file: str | float | bool
    gres_file: str | float | bool
    topology_file: str | float | bool
    lines: str | float | bool | Sequence[str | float | bool]
    sets: AnySet | Sequence[AnySet]
    licences: str | float | bool | Sequence[str | float | bool]


AnyClass: TypeAlias = "Literal['host_class'] | ClassHostClass"


class ClassHostClass(TypedDict, total=False):
    """hosts that have the same amounts, attributes and speed"""

    use: Literal['host_class']
    name: str | float | bool
    name_prefix: str | float | bool
    count: int
    cpus: float
    memory: int | str
    disk: int | str
    gpus: int
    gpu_model: str | float | bool
    features: str | float | bool | Sequence[str | float | bool]
    attributes: str | float | bool | Sequence[str | float | bool]
    amounts: str | float | bool | Sequence[str | float | bool]
    speed: float


AnySet: TypeAlias = "Literal['host_set'] | SetHostSet"


class SetHostSet(TypedDict, total=False):
    """a partition, a failure domain, or any other named set of hosts"""

    use: Literal['host_set']
    name: str | float | bool
    hosts: str | float | bool | Sequence[str | float | bool]
    partition: bool | Literal['yes', 'no', 'on', 'off']
    failure_domain: bool | Literal['yes', 'no', 'on', 'off']
    max_time: float | str
    of: str | float | bool | Sequence[str | float | bool]
    max_size: int


AnyLevel: TypeAlias = "Literal['zone_level'] | LevelZoneLevel"


class LevelZoneLevel(TypedDict, total=False):
    """zones of so many hosts each, in order of declaration"""

    use: Literal['zone_level']
    name: str | float | bool
    size: int
    sizes: int | Sequence[int]


AnyEvents: TypeAlias = "Literal['list', 'file', 'drawn', 'part', 'failure_trace'] | EventsList | EventsFile | EventsDrawn | EventsPart | EventsFailureTrace"


class EventsList(TypedDict, total=False):
    """what happens to hosts, written out in the run file"""

    use: Required[Literal['list']]
    changes: AnyChange | Sequence[AnyChange]


class EventsFile(TypedDict, total=False):
    """what happens to hosts, from a table in order of time"""

    use: Required[Literal['file']]
    file: str | float | bool


class EventsDrawn(TypedDict, total=False):
    """hosts, or whole zones, fail and are repaired at random"""

    use: Required[Literal['drawn']]
    up_time: float | str
    down_time: float | str
    up_distribution: Literal['exponential', 'weibull', 'fixed', 'lognormal', 'gamma']
    down_distribution: Literal['exponential', 'weibull', 'fixed', 'lognormal', 'gamma']
    up_shape: float
    down_shape: float
    up_scale: float | str
    down_scale: float | str
    level: str | float | bool
    hosts: str | float | bool | Sequence[str | float | bool]
    until: float | str
    spread: float
    spread_level: str | float | bool
    crews: int
    spares: str | float | bool | Sequence[str | float | bool]
    spare_time: float | str
    silent: float
    found_time: float | str
    found_distribution: Literal['fixed', 'exponential']


class EventsPart(TypedDict, total=False):
    """only a part of the cell is there"""

    use: Required[Literal['part']]
    of: int
    which: int
    how: Literal['hosts', 'scaled']


#: hosts fail as recorded: tables of the Failure Trace Archive, or a CSV
EventsFailureTrace = TypedDict('EventsFailureTrace', {
    'use': "Literal['failure_trace']",
    'file': "str | float | bool",
    'match': "Literal['name', 'number', 'order']",
    'hosts': "str | float | bool | Sequence[str | float | bool]",
    'surplus': "Literal['error', 'skip']",
    'from': "float | str",
    'down': "str | float | bool | Sequence[str | float | bool]",
    'component': "int",
    'platform': "int",
}, total=False)


AnyChange: TypeAlias = "Literal['host_change'] | ChangeHostChange"


class ChangeHostChange(TypedDict, total=False):
    """hosts go down, come up, drain, change in size or fail silently"""

    use: Literal['host_change']
    at: float | str
    hosts: str | float | bool | Sequence[str | float | bool]
    change: Literal['up', 'down', 'drain', 'resize', 'fail']
    until: float | str
    amounts: str | float | bool | Sequence[str | float | bool]
    announced: float | str
    evict_after: float | str
    evict: Literal['requeue', 'checkpoint', 'stop']
    tolerate: int


AnyLoad: TypeAlias = "Literal['redrawn'] | LoadRedrawn"


class LoadRedrawn(TypedDict, total=False):
    """a random level on each host, drawn anew at exponential intervals"""

    use: Literal['redrawn']
    dimension: str | float | bool
    law: Literal['gamma', 'weibull', 'lognormal', 'uniform', 'constant']
    shape: float
    scale: float
    rate: float
    takes: bool | Literal['yes', 'no', 'on', 'off']


AnyArchitecture: TypeAlias = "Literal['monolithic', 'messages', 'two_pass', 'heartbeat', 'multi_path', 'partitions', 'federation', 'shared_state', 'two_level', 'sparrow', 'hawk', 'eagle', 'kubernetes', 'parsync'] | ArchitectureMonolithic | ArchitectureMessages | ArchitectureTwoPass | ArchitectureHeartbeat | ArchitectureMultiPath | ArchitecturePartitions | ArchitectureFederation | ArchitectureSharedState | ArchitectureTwoLevel | ArchitectureSparrow | ArchitectureHawk | ArchitectureEagle | ArchitectureKubernetes | ArchitectureParsync"


class ArchitectureMonolithic(TypedDict, total=False):
    """one scheduler, one queue, the whole cell"""

    use: Literal['monolithic']
    call: Literal['instant', 'per_event', 'period'] | Sequence[Literal['instant', 'per_event', 'period']]
    triggers: Literal['arrival', 'end', 'cell'] | Sequence[Literal['arrival', 'end', 'cell']]
    period: float | str
    think: float | str
    apart: float | str


class ArchitectureMessages(TypedDict, total=False):
    """one scheduler that learns of events and acts by messages, which are taken one at a time"""

    use: Required[Literal['messages']]
    latency: float | str
    report: float | str
    network: AnyNetwork
    master: str | float | bool
    size: float | str
    incidents: bool | Literal['yes', 'no', 'on', 'off']


class ArchitectureTwoPass(TypedDict, total=False):
    """one queue with a main pass and a backfill pass, each with its own clock: Slurm"""

    use: Required[Literal['two_pass']]
    main: AnyPolicy
    main_interval: float | str
    backfill_interval: float | str
    max_jobs: int


class ArchitectureHeartbeat(TypedDict, total=False):
    """hosts report periodically, and are offered when they do"""

    use: Required[Literal['heartbeat']]
    offer: Literal['heartbeat', 'instant']
    order: Literal['number', 'random']
    period: float | str
    phase: Literal['random', 'staggered', 'zero']
    out_of_turn: bool | Literal['yes', 'no', 'on', 'off']
    latency: float | str
    batch: int
    window: float | str
    events: Literal['needed', 'every_report']


class ArchitectureMultiPath(TypedDict, total=False):
    """one scheduler that takes job after job, with a think time for each kind"""

    use: Required[Literal['multi_path']]
    schedulers: AnyScheduler | Sequence[AnyScheduler]
    spread: Literal['round_robin', 'hash']
    decision: Literal['job', 'pass']
    retry: float | str
    attempts: int
    prefill_place: AnyPlace
    prefill_share: float
    attempts_in_vain: int


class ArchitecturePartitions(TypedDict, total=False):
    """the cell is cut up: each scheduler has hosts of its own"""

    use: Required[Literal['partitions']]
    schedulers: AnyScheduler | Sequence[AnyScheduler]
    spread: Literal['round_robin', 'hash']
    decision: Literal['job', 'pass']
    retry: float | str
    attempts: int
    prefill_place: AnyPlace
    prefill_share: float
    attempts_in_vain: int


class ArchitectureFederation(TypedDict, total=False):
    """several cells, each with a scheduler of its own, behind a front door"""

    use: Required[Literal['federation']]
    schedulers: AnyScheduler | Sequence[AnyScheduler]
    spread: Literal['round_robin', 'hash']
    decision: Literal['job', 'pass']
    retry: float | str
    attempts: int
    prefill_place: AnyPlace
    prefill_share: float
    attempts_in_vain: int
    route: Literal['random', 'round_robin', 'queue', 'fewest_jobs', 'most_free']


class ArchitectureSharedState(TypedDict, total=False):
    """several schedulers, each on its own view of the whole cell: Omega"""

    use: Required[Literal['shared_state']]
    schedulers: AnyScheduler | Sequence[AnyScheduler]
    spread: Literal['round_robin', 'hash']
    decision: Literal['job', 'pass']
    retry: float | str
    attempts: int
    prefill_place: AnyPlace
    prefill_share: float
    attempts_in_vain: int
    conflict: Literal['fit', 'sequence']
    commit: Literal['incremental', 'all_or_nothing']


class ArchitectureTwoLevel(TypedDict, total=False):
    """an allocator offers free hosts to frameworks, which place their own jobs on them: Mesos"""

    use: Required[Literal['two_level']]
    schedulers: AnyScheduler | Sequence[AnyScheduler]
    spread: Literal['round_robin', 'hash']
    decision: Literal['job', 'pass']
    retry: float | str
    attempts: int
    prefill_place: AnyPlace
    prefill_share: float
    attempts_in_vain: int
    offer: Literal['all', 'fair_share', 'hosts']
    hosts: int
    interval: float | str
    refuse_for: float | str
    revive: bool | Literal['yes', 'no', 'on', 'off']
    offer_timeout: float | str
    gang: Literal['none', 'hoard']
    hoard_timeout: float | str
    back_off: float | str
    weights: float | Sequence[float]


class ArchitectureSparrow(TypedDict, total=False):
    """schedulers that sample a few hosts for each job, and queues on hosts: Sparrow"""

    use: Required[Literal['sparrow']]
    schedulers: int
    probes: int
    latency: float | str
    think_job: float | str
    cancel: bool | Literal['yes', 'no', 'on', 'off']
    binding: Literal['late', 'early']


class ArchitectureHawk(TypedDict, total=False):
    """long jobs by a central scheduler, short ones by sampling, with stealing: Hawk"""

    use: Required[Literal['hawk']]
    schedulers: int
    probes: int
    latency: float | str
    think_job: float | str
    cancel: bool | Literal['yes', 'no', 'on', 'off']
    cutoff: float | str
    error: float
    short_share: float
    steal: int


class ArchitectureEagle(TypedDict, total=False):
    """Hawk with shared knowledge of where long tasks are, and hosts that stay with a job: Eagle"""

    use: Required[Literal['eagle']]
    schedulers: int
    probes: int
    latency: float | str
    think_job: float | str
    cancel: bool | Literal['yes', 'no', 'on', 'off']
    cutoff: float | str
    error: float
    short_share: float
    steal: int
    sticky: bool | Literal['yes', 'no', 'on', 'off']
    bypass: int


class ArchitectureKubernetes(TypedDict, total=False):
    """one loop over pods: filter some hosts, score, bind, back off: kube-scheduler"""

    use: Required[Literal['kubernetes']]
    think: float | str
    think_host: float | str
    share: int
    feasible: int
    back_off: float | str
    back_off_most: float | str
    flush: float | str
    place: AnyPlace
    preempts: bool | Literal['yes', 'no', 'on', 'off']
    on_preempt: Literal['requeue', 'kill']


class ArchitectureParsync(TypedDict, total=False):
    """several schedulers on stale views, refreshed part by part: partitioned synchronisation"""

    use: Required[Literal['parsync']]
    schedulers: AnyScheduler | Sequence[AnyScheduler]
    spread: Literal['round_robin', 'hash']
    decision: Literal['job', 'pass']
    retry: float | str
    attempts: int
    prefill_place: AnyPlace
    prefill_share: float
    attempts_in_vain: int
    sync: Literal['parts', 'whole']
    gap: float | str
    parts: int
    strategy: Literal['latency_first', 'quality_first', 'adaptive']
    threshold: float | str


AnyScheduler: TypeAlias = "Literal['scheduler'] | SchedulerScheduler"


class SchedulerScheduler(TypedDict, total=False):
    """which tasks it takes, and how long it thinks about a job"""

    use: Literal['scheduler']
    name: str | float | bool
    takes: str | float | bool
    count: int
    think_job: float | str
    think_task: float | str
    think_law: Literal['fixed', 'exponential', 'lognormal']
    think_cv: float
    hosts: str | float | bool | Sequence[str | float | bool]
    blacklist: float
    max_share: float
    max_cpus: float
    max_memory: int | str
    max_jobs: int
    min_priority: int
    max_priority: int
    limits: Literal['enforce', 'report']
    all_or_nothing: str | float | bool
    gang: str | float | bool
    preempts: bool | Literal['yes', 'no', 'on', 'off']
    objective: float | str
    policy: AnyPolicy
    place: AnyPlace
    mold: AnyMold
    activities: str | float | bool


AnyPolicy: TypeAlias = "str | Literal['batch', 'fair', 'yt', 'gang', 'malleable', 'elastic', 'sleeping', 'slurm', 'outside', 'simple', 'heft', 'peft', 'dls', 'lookahead', 'dynamic_list', 'energy_budget', 'las', 'gittins', 'srtf', 'themis', 'gavel', 'pollux', 'energy_bf', 'process', 'elastisim'] | PolicyBatch | PolicyFair | PolicyYt | PolicyGang | PolicyMalleable | PolicyElastic | PolicySleeping | PolicySlurm | PolicyOutside | PolicySimple | PolicyHeft | PolicyPeft | PolicyDls | PolicyLookahead | PolicyDynamicList | PolicyEnergyBudget | PolicyLas | PolicyGittins | PolicySrtf | PolicyThemis | PolicyGavel | PolicyPollux | PolicyEnergyBf | PolicyProcess | PolicyElastisim | type[Policy]"


class PolicyBatch(TypedDict, total=False):
    """a batch policy made of an order, a selector and a placement"""

    use: Literal['batch']
    order: AnyOrder | OrderFcfs
    select: AnySelect | SelectBlocking
    place: AnyPlace | PlaceFirstFit
    eligibility: AnyEligibility | EligibilityAlways
    preempt: AnyPreempt | PreemptNone
    mold: AnyMold


class PolicyFair(TypedDict, total=False):
    """users share: the user with the least starts the first of its tasks that fits"""

    use: Required[Literal['fair']]
    share: Literal['drf', 'max_min', 'asset', 'fifo', 'hdrf', 'drfh', 'quota', 'ceei', 'divisible', 'dynamic', 'slots', 'server_drf']
    dimension: str | float | bool
    weights: str | float | bool | Sequence[str | float | bool]
    quotas: str | float | bool | Sequence[str | float | bool]
    limits: str | float | bool | Sequence[str | float | bool]
    guarantees: str | float | bool | Sequence[str | float | bool]
    oversold: Literal['scale', 'refuse']
    half_life: float | str
    update: float | str
    expected: int
    slot: str | float | bool | Sequence[str | float | bool]
    oversized: Literal['reject', 'more']
    pools: AnyPool | Sequence[AnyPool]
    tree_rule: Literal['naive', 'rescaled']
    order: AnyOrder | OrderFcfs
    task: Literal['first_fit', 'head']
    misfit: Literal['next', 'stop']
    knob: float
    rounding: Literal['exact', 'double']
    score: Literal['angle', 'angle_length', 'cosine', 'dot', 'drfh']
    mix: float
    barrier: float
    remote_penalty: float
    dimension_weights: float | Sequence[float]
    normalise: Literal['host', 'amounts', 'nothing', 'cell']
    amounts: float | Sequence[float]
    accept: AnyAccept | AcceptAlways
    fallback: Literal['nothing_started', 'all_refused', 'none', 'best_score', 'round_refused']
    preempt: AnyPreempt | PreemptNone
    rounds: int
    place: AnyPlace | PlaceFirstFit
    eligibility: AnyEligibility | EligibilityAlways


class PolicyYt(TypedDict, total=False):
    """YTsaurus's scheduler: vector fair shares of operations in a tree of pools, packing, preemption"""

    use: Required[Literal['yt']]
    operation: Literal['job', 'user']
    pools: AnyPool | Sequence[AnyPool]
    pools_file: str | float | bool
    pool_tree: str | float | bool
    weights: str | float | bool | Sequence[str | float | bool]
    priorities: bool | Literal['yes', 'no', 'on', 'off']
    main: str | float | bool
    update: float | str
    caps: bool | Literal['yes', 'no', 'on', 'off']
    history: float | str
    tolerance: float
    starving_after: float | str
    badly_after: float | str
    preemption: Literal['none', 'normal']
    backoff: float | str
    threshold: float
    bad_threshold: float
    content: float
    badly_content: float
    grace: float | str
    on_grace: Literal['requeue', 'kill', 'checkpoint']
    victims: Literal['newest', 'oldest', 'least_lost', 'most_over_share']
    knob: float
    rounding: Literal['exact', 'double']
    score: Literal['angle', 'angle_length', 'cosine', 'dot', 'drfh']
    mix: float
    barrier: float
    remote_penalty: float
    dimension_weights: float | Sequence[float]
    normalise: Literal['host', 'amounts', 'nothing', 'cell']
    amounts: float | Sequence[float]
    modules: str | float | bool | Sequence[str | float | bool]
    module_amount: float
    module_choice: Literal['most_room', 'least_room', 'least_loaded']
    module_timeout: float | str
    module_priority: str | float | bool | Sequence[str | float | bool]
    module_patience: float | str
    task: Literal['first_fit', 'head']
    accept: AnyAccept | AcceptAlways
    fallback: Literal['nothing_started', 'all_refused', 'none']
    eligibility: AnyEligibility | EligibilityAlways


class PolicyGang(TypedDict, total=False):
    """time-sliced gang scheduling: rows of an Ousterhout matrix take turns"""

    use: Required[Literal['gang']]
    order: AnyOrder | OrderFcfs
    quantum: float | str
    rows: int
    switch_cost: float | str
    pack: Literal['first_fit', 'best_fit', 'buddy']
    queue: Literal['blocking', 'scan']
    alternate: bool | Literal['yes', 'no', 'on', 'off']
    unify: bool | Literal['yes', 'no', 'on', 'off']


class PolicyMalleable(TypedDict, total=False):
    """another policy, whose running tasks grow into what is idle and shrink for the first queued task"""

    use: Required[Literal['malleable']]
    policy: AnyPolicy | PolicyBatch


class PolicyElastic(TypedDict, total=False):
    """another policy, whose tasks start and go on with as many slots as a strategy says"""

    use: Required[Literal['elastic']]
    policy: AnyPolicy | PolicyBatch
    strategy: Literal['rigid', 'min', 'average', 'preferred', 'keep_preferred', 'common_pool', 'agreement', 'steal_agreement', 'equipartition', 'largest', 'priority', 'greedy']
    preferred: float


class PolicySleeping(TypedDict, total=False):
    """another policy, on hosts that are switched off while they are idle"""

    use: Required[Literal['sleeping']]
    policy: AnyPolicy | PolicyBatch
    idle_after: float | str
    off: float | str
    on: float | str
    keep: int


class PolicySlurm(TypedDict, total=False):
    """Slurm's main scheduler and backfill, on their clocks, as slurm.conf configures them"""

    use: Required[Literal['slurm']]
    conf: str | float | bool
    scheduler_parameters: str | float | bool
    tick: float | str
    tick_at: float | str
    backfill_at: float | str
    full_at: float | str
    accounting: str | float | bool | Sequence[str | float | bool]
    lines: str | float | bool | Sequence[str | float | bool]
    sacctmgr: str | float | bool | Sequence[str | float | bool]
    period_at: float | str
    limits_at: float | str
    slices_at: float | str
    log: str | float | bool
    reservations: str | float | bool | Sequence[str | float | bool]
    zone: str | float | bool
    per_job: float | str
    completes: float | str
    killed: float | str
    epilog: Literal['conf', 'none', 'present']
    plans: Literal['all', 'needed']


class PolicyOutside(TypedDict, total=False):
    """no policy: each plan comes from the program that carries the run on"""

    use: Required[Literal['outside']]
    order: AnyOrder | OrderFcfs
    place: AnyPlace | PlaceFirstFit
    eligibility: AnyEligibility | EligibilityAlways
    asks: Literal['needs_estimate', 'needs_timeline', 'may_preempt', 'makes_reservations', 'asks_harmless', 'ignores_time', 'asks_jobs', 'paces', 'sets_rates', 'may_power', 'sets_pstates'] | Sequence[Literal['needs_estimate', 'needs_timeline', 'may_preempt', 'makes_reservations', 'asks_harmless', 'ignores_time', 'asks_jobs', 'paces', 'sets_rates', 'may_power', 'sets_pstates']]


class PolicySimple(TypedDict, total=False):
    """the first task that may start, on the first host where it fits"""

    use: Required[Literal['simple']]


class PolicyHeft(TypedDict, total=False):
    """workflows by HEFT: the task with the highest upward rank, where it ends first"""

    use: Required[Literal['heft']]
    transfers: Literal['early', 'late']


class PolicyPeft(TypedDict, total=False):
    """workflows by PEFT: each task where its end plus the optimistic time of the rest of its workflow is
    least"""

    use: Required[Literal['peft']]
    transfers: Literal['early', 'late']
    estimate: Literal['mean', 'route']


class PolicyDls(TypedDict, total=False):
    """workflows by dynamic levels: the task and host whose level is highest, again and again"""

    use: Required[Literal['dls']]
    transfers: Literal['early', 'late']
    levels: Literal['transfers', 'work']


class PolicyLookahead(TypedDict, total=False):
    """workflows by HEFT with lookahead: each task where the tasks that follow it end first, as HEFT would
    place these"""

    use: Required[Literal['lookahead']]
    transfers: Literal['early', 'late']
    depth: int
    what: Literal['all', 'children']


class PolicyDynamicList(TypedDict, total=False):
    """ready tasks by one criterion, each on a host by another, as soon as a host has room"""

    use: Required[Literal['dynamic_list']]
    task: Literal['work', 'data', 'children', 'bottom_level', 'cores', 'memory', 'cores_memory_sum', 'cores_memory', 'cores_work', 'memory_work', 'cores_memory_work', 'rank_pack', 'rank_pack_select', 'rank_pack_product']
    host: Literal['speed', 'task_data', 'most_cores', 'most_memory', 'fewest_cores', 'least_memory', 'dot_product', 'dot_product_speed']
    rank_weight: float


class PolicyEnergyBudget(TypedDict, total=False):
    """EASY backfilling under a budget of energy that accrues over a period"""

    use: Required[Literal['energy_budget']]
    order: AnyOrder | OrderFcfs
    budget: float
    period: float | str
    begin: float | str


class PolicyLas(TypedDict, total=False):
    """least attained service in queues, preemptive: Tiresias without knowledge of run times"""

    use: Required[Literal['las']]
    thresholds: float | Sequence[float]
    service: Literal['area', 'time']
    promote: float
    place: AnyPlace | PlaceFirstFit
    eligibility: AnyEligibility | EligibilityAlways
    queue: Literal['scan', 'blocking']
    on_preempt: Literal['checkpoint', 'requeue']
    checkpoint_every: float | str
    restart_overhead: float | str
    grace: float | str


class PolicyGittins(TypedDict, total=False):
    """highest Gittins index of attained service first, preemptive: Tiresias with a known distribution"""

    use: Required[Literal['gittins']]
    services: float | Sequence[float]
    history: int
    quantum: float | str
    thresholds: float | Sequence[float]
    service: Literal['area', 'time']
    promote: float
    place: AnyPlace | PlaceFirstFit
    eligibility: AnyEligibility | EligibilityAlways
    queue: Literal['scan', 'blocking']
    on_preempt: Literal['checkpoint', 'requeue']
    checkpoint_every: float | str
    restart_overhead: float | str
    grace: float | str


class PolicySrtf(TypedDict, total=False):
    """shortest remaining time, or service, first, preemptive"""

    use: Required[Literal['srtf']]
    by: Literal['time', 'service']
    place: AnyPlace | PlaceFirstFit
    eligibility: AnyEligibility | EligibilityAlways
    queue: Literal['scan', 'blocking']
    on_preempt: Literal['checkpoint', 'requeue']
    checkpoint_every: float | str
    restart_overhead: float | str
    grace: float | str


class PolicyThemis(TypedDict, total=False):
    """finish-time fairness: leases, and auctions among the tasks that are treated worst"""

    use: Required[Literal['themis']]
    f: float
    lease: float | str
    place: AnyPlace | PlaceFirstFit
    eligibility: AnyEligibility | EligibilityAlways
    queue: Literal['scan', 'blocking']
    on_preempt: Literal['checkpoint', 'requeue']
    checkpoint_every: float | str
    restart_overhead: float | str
    grace: float | str


class PolicyGavel(TypedDict, total=False):
    """shares of time on each class of hosts, by a linear programme, and rounds: GPUs of several types"""

    use: Required[Literal['gavel']]
    objective: Literal['water_filling', 'max_min', 'makespan', 'fifo']
    weigh: Literal['none', 'priority']
    round: float | str
    settle: float | str
    between: Literal['wait', 'fill']
    eligibility: AnyEligibility | EligibilityAlways
    on_preempt: Literal['checkpoint', 'requeue']
    checkpoint_every: float | str
    restart_overhead: float | str


class PolicyPollux(TypedDict, total=False):
    """rounds in which all tasks get the numbers of GPUs with which their speed-ups are greatest"""

    use: Required[Literal['pollux']]
    p: float
    round: float | str
    restart: float | str
    between: Literal['wait', 'fill']
    queue: Literal['scan', 'blocking']
    place: AnyPlace | PlaceFirstFit
    eligibility: AnyEligibility | EligibilityAlways


class PolicyEnergyBf(TypedDict, total=False):
    """backfilling, in which hosts without planned tasks sleep, by one of five strategies"""

    use: Required[Literal['energy_bf']]
    order: AnyOrder | OrderFcfs
    sleep: Literal['at_once', 'dichotomy', 'idle', 'inertia', 'part']
    plan: Literal['all', 'first']
    off: float | str
    on: float | str
    least: float | str
    idle_after: float | str
    period: float | str
    at_events: bool | Literal['yes', 'no', 'on', 'off']
    slowdown: float
    grow: Literal['times', 'plus']
    step: float
    busy: float | str
    share: float


class PolicyProcess(TypedDict, total=False):
    """another program decides, by lines of JSON on its standard input and output"""

    use: Required[Literal['process']]
    command: str | float | bool | Sequence[str | float | bool]
    place: AnyPlace | PlaceFirstFit
    eligibility: AnyEligibility | EligibilityAlways
    asks: Literal['may_preempt', 'makes_reservations', 'asks_jobs', 'ignores_time'] | Sequence[Literal['may_preempt', 'makes_reservations', 'asks_jobs', 'ignores_time']]
    think: Literal['none', 'measured']
    timeout: float | str
    most: int | str
    record: str | float | bool
    replay: str | float | bool


class PolicyElastisim(TypedDict, total=False):
    """an algorithm that was written for ElastiSim decides, by its protocol (ZeroMQ, JSON)"""

    use: Required[Literal['elastisim']]
    url: str | float | bool
    jobs: str | float | bool
    schedule_on: Literal['submit', 'finalize', 'scheduling_point', 'reconfiguration'] | Sequence[Literal['submit', 'finalize', 'scheduling_point', 'reconfiguration']]
    interval: float | str
    apart: float | str
    clips: bool | Literal['yes', 'no', 'on', 'off']
    burst_buffers: str | float | bool | Sequence[str | float | bool]
    io_information: bool | Literal['yes', 'no', 'on', 'off']
    pfs_read: str | float | bool | Sequence[str | float | bool]
    pfs_write: str | float | bool | Sequence[str | float | bool]
    is_public: bool | Literal['yes', 'no', 'on', 'off']
    timeout: float | str
    most: int | str
    record: str | float | bool
    replay: str | float | bool


AnyOrder: TypeAlias = "Literal['fcfs', 'sjf', 'ljf', 'smallest', 'largest', 'smallest_area', 'largest_area', 'priority', 'random', 'lxf', 'wfp3', 'unicep', 'fairshare', 'expr'] | OrderFcfs | OrderSjf | OrderLjf | OrderSmallest | OrderLargest | OrderSmallestArea | OrderLargestArea | OrderPriority | OrderRandom | OrderLxf | OrderWfp3 | OrderUnicep | OrderFairshare | OrderExpr | type[Order]"


class OrderFcfs(TypedDict, total=False):
    """first come, first served"""

    use: Literal['fcfs']


class OrderSjf(TypedDict, total=False):
    """shortest estimate first"""

    use: Required[Literal['sjf']]


class OrderLjf(TypedDict, total=False):
    """longest estimate first"""

    use: Required[Literal['ljf']]


class OrderSmallest(TypedDict, total=False):
    """fewest processors first"""

    use: Required[Literal['smallest']]


class OrderLargest(TypedDict, total=False):
    """most processors first"""

    use: Required[Literal['largest']]


class OrderSmallestArea(TypedDict, total=False):
    """least processors x estimate first"""

    use: Required[Literal['smallest_area']]


class OrderLargestArea(TypedDict, total=False):
    """most processors x estimate first"""

    use: Required[Literal['largest_area']]


class OrderPriority(TypedDict, total=False):
    """highest priority first"""

    use: Required[Literal['priority']]


class OrderRandom(TypedDict, total=False):
    """in an order drawn at random"""

    use: Required[Literal['random']]


class OrderLxf(TypedDict, total=False):
    """largest expansion factor (wait + estimate) / estimate first"""

    use: Required[Literal['lxf']]


class OrderWfp3(TypedDict, total=False):
    """largest (wait / estimate)^3 x processors first"""

    use: Required[Literal['wfp3']]


class OrderUnicep(TypedDict, total=False):
    """largest wait / (log2(processors) x estimate) first (UNICEF)"""

    use: Required[Literal['unicep']]


class OrderFairshare(TypedDict, total=False):
    """highest fair-share factor of the user or account first"""

    use: Required[Literal['fairshare']]
    half_life: float | str
    period: float | str
    owner: Literal['user', 'account']
    dimension: str | float | bool
    weights: str | float | bool | Sequence[str | float | bool]


class OrderExpr(TypedDict, total=False):
    """lowest value of a given formula first"""

    use: Required[Literal['expr']]
    key: str | float | bool
    descending: bool | Literal['yes', 'no', 'on', 'off']
    half_life: float | str
    period: float | str
    owner: Literal['user', 'account']
    dimension: str | float | bool
    weights: str | float | bool | Sequence[str | float | bool]


AnySelect: TypeAlias = "Literal['blocking', 'scan', 'easy', 'easy_book', 'conservative', 'slack', 'lottery', 'capped'] | SelectBlocking | SelectScan | SelectEasy | SelectEasyBook | SelectConservative | SelectSlack | SelectLottery | SelectCapped"


class SelectBlocking(TypedDict, total=False):
    """a task that does not fit blocks all tasks behind it"""

    use: Literal['blocking']


class SelectScan(TypedDict, total=False):
    """every task that fits starts, in order; no task has a reservation"""

    use: Required[Literal['scan']]


class SelectEasy(TypedDict, total=False):
    """EASY backfilling: the head has a reservation that no task may delay"""

    use: Required[Literal['easy']]
    depth: int
    window: Literal['inclusive', 'strict']
    extra: bool | Literal['yes', 'no', 'on', 'off']
    reserve: Literal['room', 'hosts']
    sticky: bool | Literal['yes', 'no', 'on', 'off']
    protect: bool | Literal['yes', 'no', 'on', 'off']
    ahead: bool | Literal['yes', 'no', 'on', 'off']
    retry: Literal['always', 'at_reservation', 'after_reservation']
    relax: float
    candidates: AnyOrder


class SelectEasyBook(TypedDict, total=False):
    """EASY backfilling on hosts, with its own record of which tasks hold them, as in batsched"""

    use: Required[Literal['easy_book']]
    margin: float | str
    promise: Literal['hosts', 'time']
    dates: Literal['exact', 'binary']


class SelectConservative(TypedDict, total=False):
    """conservative backfilling: every waiting task has a reservation"""

    use: Required[Literal['conservative']]
    replan: Literal['full', 'always', 'compress', 'none']
    ahead: bool | Literal['yes', 'no', 'on', 'off']


class SelectSlack(TypedDict, total=False):
    """slack-based backfilling: no task starts later than promised, but promises have slack"""

    use: Required[Literal['slack']]
    factor: float
    depth: int
    ahead: bool | Literal['yes', 'no', 'on', 'off']


class SelectLottery(TypedDict, total=False):
    """tasks drawn at random until one does not fit, anew at each decision"""

    use: Required[Literal['lottery']]


#: start tasks that fit under caps of power, at lower speed if need be
SelectCapped = TypedDict('SelectCapped', {
    'use': "Literal['capped']",
    'watts': "float",
    'hosts': "str | float | bool | Sequence[str | float | bool]",
    'users': "str | float | bool | Sequence[str | float | bool]",
    'groups': "str | float | bool | Sequence[str | float | bool]",
    'queues': "str | float | bool | Sequence[str | float | bool]",
    'slow': "bool | Literal['yes', 'no', 'on', 'off']",
    'pass': "bool | Literal['yes', 'no', 'on', 'off']",
    'raise': "bool | Literal['yes', 'no', 'on', 'off']",
}, total=False)


AnyPlace: TypeAlias = "Literal['first_fit', 'best_fit', 'contiguous', 'random', 'next_fit', 'worst_fit', 'least_allocated', 'most_allocated', 'balanced', 'dot_product', 'l2_norm', 'cosine', 'angle_length', 'drfh', 'epvm', 'stranding', 'random_k', 'spread', 'preferred', 'gpu_packing', 'gpu_clustering', 'fgd', 'fastest', 'least_utilised', 'window_fit', 'weighted', 'compact', 'same_zone', 'spread_zones', 'least_loaded'] | PlaceFirstFit | PlaceBestFit | PlaceContiguous | PlaceRandom | PlaceNextFit | PlaceWorstFit | PlaceLeastAllocated | PlaceMostAllocated | PlaceBalanced | PlaceDotProduct | PlaceL2Norm | PlaceCosine | PlaceAngleLength | PlaceDrfh | PlaceEpvm | PlaceStranding | PlaceRandomK | PlaceSpread | PlacePreferred | PlaceGpuPacking | PlaceGpuClustering | PlaceFgd | PlaceFastest | PlaceLeastUtilised | PlaceWindowFit | PlaceWeighted | PlaceCompact | PlaceSameZone | PlaceSpreadZones | PlaceLeastLoaded | type[Placement]"


class PlaceFirstFit(TypedDict, total=False):
    """the free processors with the lowest ids, or the lowest host that fits"""

    use: Literal['first_fit']


class PlaceBestFit(TypedDict, total=False):
    """the smallest free range that holds the task, or the host on which the least is left free"""

    use: Literal['best_fit']
    weights: float | Sequence[float]
    normalise: Literal['host', 'amounts', 'nothing', 'cell', 'task']
    amounts: float | Sequence[float]


class PlaceContiguous(TypedDict, total=False):
    """one range of consecutive processors, or the task does not fit"""

    use: Required[Literal['contiguous']]
    choose: Literal['first', 'best']


class PlaceRandom(TypedDict, total=False):
    """free processors, or hosts that fit, drawn at random"""

    use: Required[Literal['random']]


class PlaceNextFit(TypedDict, total=False):
    """the first host with room after the one chosen last, in a circle"""

    use: Required[Literal['next_fit']]


class PlaceWorstFit(TypedDict, total=False):
    """the host on which the most is left free"""

    use: Required[Literal['worst_fit']]
    weights: float | Sequence[float]
    normalise: Literal['host', 'amounts', 'nothing', 'cell', 'task']
    amounts: float | Sequence[float]


class PlaceLeastAllocated(TypedDict, total=False):
    """the host of which the smallest share is used, the task included"""

    use: Literal['least_allocated']
    weights: float | Sequence[float]


class PlaceMostAllocated(TypedDict, total=False):
    """the host of which the greatest share is used, the task included"""

    use: Required[Literal['most_allocated']]
    weights: float | Sequence[float]


class PlaceBalanced(TypedDict, total=False):
    """the host on which, with the task, the dimensions are used most evenly"""

    use: Required[Literal['balanced']]
    weights: float | Sequence[float]
    judge: Literal['behind', 'change']


class PlaceDotProduct(TypedDict, total=False):
    """the host whose free amounts have the greatest product with the task's"""

    use: Required[Literal['dot_product']]
    weights: float | Sequence[float]
    normalise: Literal['host', 'amounts', 'nothing', 'cell', 'task']
    amounts: float | Sequence[float]
    weigh: Literal['given', 'demand', 'exp_demand']
    rate: float
    prefer: Literal['largest', 'smallest']


class PlaceL2Norm(TypedDict, total=False):
    """the host whose free amounts are nearest to the task's"""

    use: Required[Literal['l2_norm']]
    weights: float | Sequence[float]
    normalise: Literal['host', 'amounts', 'nothing', 'cell', 'task']
    amounts: float | Sequence[float]
    weigh: Literal['given', 'demand', 'exp_demand']
    rate: float


class PlaceCosine(TypedDict, total=False):
    """the host whose free amounts are in proportion to the task's"""

    use: Required[Literal['cosine']]
    weights: float | Sequence[float]
    normalise: Literal['host', 'amounts', 'nothing', 'cell', 'task']
    amounts: float | Sequence[float]
    of: Literal['free', 'used']


class PlaceAngleLength(TypedDict, total=False):
    """the host whose free amounts deviate least from the direction of the task's need"""

    use: Required[Literal['angle_length']]
    weights: float | Sequence[float]
    normalise: Literal['host', 'amounts', 'nothing', 'cell', 'task']
    amounts: float | Sequence[float]


class PlaceDrfh(TypedDict, total=False):
    """the host whose free amounts have the same ratios as the task's"""

    use: Required[Literal['drfh']]
    weights: float | Sequence[float]
    normalise: Literal['host', 'amounts', 'nothing', 'cell', 'task']
    amounts: float | Sequence[float]


class PlaceEpvm(TypedDict, total=False):
    """the host on which an exponential price of use rises least (E-PVM, early Borg)"""

    use: Required[Literal['epvm']]
    weights: float | Sequence[float]
    hosts: float


#: best fit that avoids leaving one dimension free while another is used up
PlaceStranding = TypedDict('PlaceStranding', {
    'use': "Literal['stranding']",
    'weights': "float | Sequence[float]",
    'lambda': "float",
}, total=False)


class PlaceRandomK(TypedDict, total=False):
    """the best of a few hosts drawn at random among those that fit"""

    use: Required[Literal['random_k']]
    sample: int
    by: AnyPlace | PlaceLeastAllocated


class PlaceSpread(TypedDict, total=False):
    """the host on whose failure domains the fewest tasks are"""

    use: Required[Literal['spread']]
    over: str | float | bool
    by: AnyPlace | PlaceBestFit


class PlacePreferred(TypedDict, total=False):
    """the host that the task prefers, or, if there is none, another one"""

    use: Required[Literal['preferred']]
    host: float
    zone: float
    level: str | float | bool
    terms: str | float | bool | Sequence[str | float | bool]
    by: AnyPlace | PlaceBestFit


class PlaceGpuPacking(TypedDict, total=False):
    """share a GPU in use, else take free GPUs of a host in use, else use an unused host"""

    use: Required[Literal['gpu_packing']]


class PlaceGpuClustering(TypedDict, total=False):
    """keep tasks that share GPUs apart from those that take whole ones"""

    use: Required[Literal['gpu_clustering']]
    most: float


class PlaceFgd(TypedDict, total=False):
    """fragmentation gradient descent: the host and GPU where free GPUs stay most useful"""

    use: Required[Literal['fgd']]
    popularity: int
    step: int
    cpu_only: bool | Literal['yes', 'no', 'on', 'off']
    by: Literal['cpu_gpu', 'all']
    typical: str | float | bool | Sequence[str | float | bool]


class PlaceFastest(TypedDict, total=False):
    """the hosts with the greatest speed"""

    use: Required[Literal['fastest']]


class PlaceLeastUtilised(TypedDict, total=False):
    """the hosts of which least is used, by tasks and local load"""

    use: Required[Literal['least_utilised']]
    weights: float | Sequence[float]
    by: Literal['now', 'past']


class PlaceWindowFit(TypedDict, total=False):
    """the hosts with the least time left over before they are promised to another task"""

    use: Required[Literal['window_fit']]
    weights: float | Sequence[float]
    normalise: Literal['host', 'amounts', 'nothing', 'cell', 'task']
    amounts: float | Sequence[float]
    free: Literal['tasks', 'load']


class PlaceWeighted(TypedDict, total=False):
    """the host with the greatest weighted sum of other placements' scores"""

    use: Required[Literal['weighted']]
    of: AnyPlace | Sequence[AnyPlace]
    weights: float | Sequence[float]
    scales: Literal['auto', 'share', 'most', 'range'] | Sequence[Literal['auto', 'share', 'most', 'range']]
    whole: bool | Literal['yes', 'no', 'on', 'off']


class PlaceCompact(TypedDict, total=False):
    """the fewest switches: the smallest part of the network with room for the task"""

    use: Required[Literal['compact']]
    over: str | float | bool | Sequence[str | float | bool]


class PlaceSameZone(TypedDict, total=False):
    """all hosts in the zone with the least room that suffices, else in as few zones as possible"""

    use: Required[Literal['same_zone']]
    over: str | float | bool


class PlaceSpreadZones(TypedDict, total=False):
    """the slots of a task over as many zones as there are, evenly"""

    use: Required[Literal['spread_zones']]
    over: str | float | bool


class PlaceLeastLoaded(TypedDict, total=False):
    """least loaded links: hosts between which the cables carry least now"""

    use: Required[Literal['least_loaded']]


AnyEligibility: TypeAlias = "Literal['always', 'unloaded', 'utilisation', 'expr'] | EligibilityAlways | EligibilityUnloaded | EligibilityUtilisation | EligibilityExpr"


class EligibilityAlways(TypedDict, total=False):
    """every host may be used"""

    use: Literal['always']


class EligibilityUnloaded(TypedDict, total=False):
    """hosts that have no local load in any dimension"""

    use: Required[Literal['unloaded']]


class EligibilityUtilisation(TypedDict, total=False):
    """hosts of which the weighted sum of used shares is at most a threshold"""

    use: Required[Literal['utilisation']]
    weights: float | Sequence[float]
    threshold: float


class EligibilityExpr(TypedDict, total=False):
    """hosts of which a given formula is true"""

    use: Required[Literal['expr']]
    when: str | float | bool


AnyAccept: TypeAlias = "Literal['always', 'refusal', 'locality', 'all_of'] | AcceptAlways | AcceptRefusal | AcceptLocality | AcceptAllOf"


class AcceptAlways(TypedDict, total=False):
    """takes every host on which the task fits"""

    use: Literal['always']


class AcceptRefusal(TypedDict, total=False):
    """refuses a host if better ones were offered lately"""

    use: Required[Literal['refusal']]
    metric: Literal['angle', 'angle_length', 'cosine', 'dot', 'drfh']
    dimensions: str | float | bool | Sequence[str | float | bool]
    rule: Literal['thesis', 'ytsaurus']
    memory: Literal['operation', 'user']
    at_first: int
    window: int
    better: int
    relaxed: int
    adapt: float
    absolute: float
    relative: float
    age: float | str
    in_a_row: int
    by_user: bool | Literal['yes', 'no', 'on', 'off']
    fresh: Literal['never', 'when_idle']
    never_users: str | float | bool | Sequence[str | float | bool]
    never_groups: int | Sequence[int]
    never: str | float | bool


class AcceptLocality(TypedDict, total=False):
    """waits a little for hosts that have the task's data: delay scheduling"""

    use: Required[Literal['locality']]
    replicas: int
    data: Literal['task', 'job']
    zone: str | float | bool
    memory: Literal['operation', 'user']
    delay: Literal['time', 'offers']
    rack_wait: float | str
    any_wait: float | str
    rack_offers: int
    any_offers: int
    rack_factor: float
    any_factor: float


class AcceptAllOf(TypedDict, total=False):
    """takes an offer if each of several does"""

    use: Required[Literal['all_of']]
    of: AnyAccept | Sequence[AnyAccept]


AnyPreempt: TypeAlias = "Literal['none', 'starving', 'priority'] | PreemptNone | PreemptStarving | PreemptPriority"


class PreemptNone(TypedDict, total=False):
    """no running task is ever stopped"""

    use: Literal['none']


class PreemptStarving(TypedDict, total=False):
    """users that have had less than their fair share for long take room from users that have more"""

    use: Required[Literal['starving']]
    timeout: float | str
    tolerance: float
    aggressive_timeout: float | str
    threshold: float
    aggressive_threshold: float
    update: float | str
    victims: Literal['newest', 'oldest', 'least_lost', 'most_over_share']
    on_preempt: Literal['requeue', 'kill', 'checkpoint']
    grace: float | str
    checkpoint_every: float | str
    restart_overhead: float | str
    backoff: float | str


class PreemptPriority(TypedDict, total=False):
    """a waiting task of higher priority takes the room of running ones of lower"""

    use: Required[Literal['priority']]
    on_preempt: Literal['requeue', 'kill', 'checkpoint']
    grace: float | str
    checkpoint_every: float | str
    restart_overhead: float | str
    backoff: float | str


AnyPool: TypeAlias = "Literal['user_pool'] | PoolUserPool"


class PoolUserPool(TypedDict, total=False):
    """users who share together, in a tree of such pools"""

    use: Literal['user_pool']
    name: str | float | bool
    parent: str | float | bool
    weight: float
    users: str | float | bool | Sequence[str | float | bool]
    groups: str | float | bool | Sequence[str | float | bool]
    queues: str | float | bool | Sequence[str | float | bool]
    mode: Literal['fair_share', 'fifo']
    strong: str | float | bool | Sequence[str | float | bool]
    limit: str | float | bool | Sequence[str | float | bool]
    integral: Literal['none', 'burst', 'relaxed']
    burst: float
    flow: float
    max_running: int
    gangs: bool | Literal['yes', 'no', 'on', 'off']
    tags: str | float | bool
    graceful: bool | Literal['yes', 'no', 'on', 'off']
    history: float | str


AnyMetric: TypeAlias = "Literal['tasks', 'makespan', 'utilisation', 'load', 'capacity_loss', 'queue', 'wait', 'ready_wait', 'response', 'slowdown', 'bounded_slowdown', 'per_processor_slowdown', 'area_weighted', 'fairness', 'resource_equality', 'predictions', 'by', 'by_user', 'by_group', 'by_queue', 'by_day', 'by_hour', 'series', 'host_load', 'usage', 'queue_load', 'dominant_share', 'user_shares', 'window_load', 'fragmentation', 'lost_capacity', 'failure_domains', 'from_origin', 'wait_spread', 'fair_start', 'host_balance', 'host_use', 'occupancy', 'gpu_fragments', 'fair_share', 'underserved', 'envy', 'pareto', 'sharing_incentive', 'finish_time', 'task_time', 'preemption', 'by_job', 'suspension', 'activity', 'workflow', 'resource_use', 'sensing', 'part_times', 'energy', 'failures'] | MetricTasks | MetricMakespan | MetricUtilisation | MetricLoad | MetricCapacityLoss | MetricQueue | MetricWait | MetricReadyWait | MetricResponse | MetricSlowdown | MetricBoundedSlowdown | MetricPerProcessorSlowdown | MetricAreaWeighted | MetricFairness | MetricResourceEquality | MetricPredictions | MetricBy | MetricByUser | MetricByGroup | MetricByQueue | MetricByDay | MetricByHour | MetricSeries | MetricHostLoad | MetricUsage | MetricQueueLoad | MetricDominantShare | MetricUserShares | MetricWindowLoad | MetricFragmentation | MetricLostCapacity | MetricFailureDomains | MetricFromOrigin | MetricWaitSpread | MetricFairStart | MetricHostBalance | MetricHostUse | MetricOccupancy | MetricGpuFragments | MetricFairShare | MetricUnderserved | MetricEnvy | MetricPareto | MetricSharingIncentive | MetricFinishTime | MetricTaskTime | MetricPreemption | MetricByJob | MetricSuspension | MetricActivity | MetricWorkflow | MetricResourceUse | MetricSensing | MetricPartTimes | MetricEnergy | MetricFailures | type[Metric]"


class MetricTasks(TypedDict, total=False):
    """tasks by final state, and how many were backfilled"""

    use: Required[Literal['tasks']]


class MetricMakespan(TypedDict, total=False):
    """how long the workload took, from first submission and from first start"""

    use: Required[Literal['makespan']]


#: share of the existing units that are busy: to the last end, to the last submission, and in a window
MetricUtilisation = TypedDict('MetricUtilisation', {
    'use': "Literal['utilisation']",
    'from': "Literal['first_submit', 'full']",
    'until': "Literal['last_submit', 'queue_empty', 'last_end']",
}, total=False)


class MetricLoad(TypedDict, total=False):
    """work done, and offered load over both customary times"""

    use: Required[Literal['load']]


class MetricCapacityLoss(TypedDict, total=False):
    """share of the machine idle although tasks waited, by three definitions"""

    use: Required[Literal['capacity_loss']]


class MetricQueue(TypedDict, total=False):
    """waiting tasks and the units they ask for, over time"""

    use: Required[Literal['queue']]


class MetricWait(TypedDict, total=False):
    """how long tasks waited: mean, quantiles"""

    use: Required[Literal['wait']]


class MetricReadyWait(TypedDict, total=False):
    """how long tasks waited once they were allowed to start: after schedule_after and predecessors"""

    use: Required[Literal['ready_wait']]


class MetricResponse(TypedDict, total=False):
    """how long tasks took in all, waiting and running: mean, quantiles"""

    use: Required[Literal['response']]


class MetricSlowdown(TypedDict, total=False):
    """response over run time, unbounded"""

    use: Required[Literal['slowdown']]


class MetricBoundedSlowdown(TypedDict, total=False):
    """slowdown in which tasks shorter than tau count as long as tau"""

    use: Required[Literal['bounded_slowdown']]
    tau: float | str


class MetricPerProcessorSlowdown(TypedDict, total=False):
    """bounded slowdown per processor of the task"""

    use: Required[Literal['per_processor_slowdown']]
    tau: float | str


class MetricAreaWeighted(TypedDict, total=False):
    """response, wait and slowdown weighed by area (AWRT, AWWT, AWSD)"""

    use: Required[Literal['area_weighted']]


class MetricFairness(TypedDict, total=False):
    """how evenly users were served: Jain's index, normalised waits"""

    use: Required[Literal['fairness']]
    tau: float | str


class MetricResourceEquality(TypedDict, total=False):
    """did each task get an equal share of the machine while it was in the system"""

    use: Required[Literal['resource_equality']]


class MetricPredictions(TypedDict, total=False):
    """how good the estimates were that the policy believed"""

    use: Required[Literal['predictions']]


#: figures of tasks by user, day, size, any expression, or by two of them
MetricBy = TypedDict('MetricBy', {
    'use': "Literal['by']",
    'by': "str | float | bool | Sequence[str | float | bool]",
    'figures': "Literal['tasks', 'wait_mean', 'wait_p50', 'wait_p90', 'wait_p95', 'wait_p99', 'wait_max', 'run_mean', 'response_mean', 'response_p50', 'response_p90', 'response_p95', 'response_p99', 'slowdown_mean', 'bounded_slowdown_mean', 'bounded_slowdown_p50', 'bounded_slowdown_p90', 'bounded_slowdown_p95', 'bounded_slowdown_p99', 'area', 'core_hours', 'share', 'task_share', 'held_mean', 'eligible_wait_mean', 'eligible_wait_p50', 'eligible_wait_p90', 'eligible_wait_p95', 'eligible_wait_p99', 'eligible_wait_max', 'asked_p50', 'cut', 'covers_50', 'covers_90', 'covers_99', 'asked_core_hours', 'limit_used', 'cpu_used', 'memory_used', 'idle_core_hours', 'lost_core_hours', 'wasted_core_hours', 'completed', 'failed', 'timeout', 'out_of_memory', 'node_fail', 'cancelled', 'other_ends', 'average_queue_time', 'average_congestion', 'used_time', 'aborted', 'queue_to_limit_time'] | Sequence[Literal['tasks', 'wait_mean', 'wait_p50', 'wait_p90', 'wait_p95', 'wait_p99', 'wait_max', 'run_mean', 'response_mean', 'response_p50', 'response_p90', 'response_p95', 'response_p99', 'slowdown_mean', 'bounded_slowdown_mean', 'bounded_slowdown_p50', 'bounded_slowdown_p90', 'bounded_slowdown_p95', 'bounded_slowdown_p99', 'area', 'core_hours', 'share', 'task_share', 'held_mean', 'eligible_wait_mean', 'eligible_wait_p50', 'eligible_wait_p90', 'eligible_wait_p95', 'eligible_wait_p99', 'eligible_wait_max', 'asked_p50', 'cut', 'covers_50', 'covers_90', 'covers_99', 'asked_core_hours', 'limit_used', 'cpu_used', 'memory_used', 'idle_core_hours', 'lost_core_hours', 'wasted_core_hours', 'completed', 'failed', 'timeout', 'out_of_memory', 'node_fail', 'cancelled', 'other_ends', 'average_queue_time', 'average_congestion', 'used_time', 'aborted', 'queue_to_limit_time']]",
    'as': "Literal['paper', 'program']",
    'sizes': "int | Sequence[int]",
    'estimates': "float | str | Sequence[float | str]",
    'tau': "float | str",
    'most': "int",
}, total=False)


class MetricByUser(TypedDict, total=False):
    """tasks, waits, slowdowns and area of each user"""

    use: Required[Literal['by_user']]
    tau: float | str


class MetricByGroup(TypedDict, total=False):
    """tasks, waits, slowdowns and area of each group of users"""

    use: Required[Literal['by_group']]
    tau: float | str


class MetricByQueue(TypedDict, total=False):
    """tasks, waits, slowdowns and area of each queue"""

    use: Required[Literal['by_queue']]
    tau: float | str


class MetricByDay(TypedDict, total=False):
    """tasks, waits, slowdowns and area by the day on which they were submitted"""

    use: Required[Literal['by_day']]
    tau: float | str


class MetricByHour(TypedDict, total=False):
    """tasks, waits, slowdowns and area by the hour of the day at which they were submitted"""

    use: Required[Literal['by_hour']]
    tau: float | str


class MetricSeries(TypedDict, total=False):
    """use and queue of each day, or of any other interval of time"""

    use: Required[Literal['series']]
    interval: float | str


class MetricHostLoad(TypedDict, total=False):
    """how much of each dimension is claimed over time: cell, classes, sets, hosts"""

    use: Required[Literal['host_load']]
    every: float | str
    rows: int
    detail: Literal['cell', 'classes', 'hosts']


class MetricUsage(TypedDict, total=False):
    """cores and memory claimed against really used, over time"""

    use: Required[Literal['usage']]
    every: float | str
    rows: int


class MetricQueueLoad(TypedDict, total=False):
    """tasks that wait and what they ask for over time, overall and by user"""

    use: Required[Literal['queue_load']]
    every: float | str
    rows: int
    users: int


class MetricDominantShare(TypedDict, total=False):
    """the greatest part of any dimension that each user holds, over time"""

    use: Required[Literal['dominant_share']]
    every: float | str
    rows: int
    users: int


#: each user's mean dominant share, and how far apart users who wait are
MetricUserShares = TypedDict('MetricUserShares', {
    'use': "Literal['user_shares']",
    'from': "float | str",
    'to': "float | str",
}, total=False)


#: how much of the machine is claimed in a window of time, with and without work that was lost
MetricWindowLoad = TypedDict('MetricWindowLoad', {
    'use': "Literal['window_load']",
    'from': "float | str",
    'to': "float | str",
}, total=False)


class MetricFragmentation(TypedDict, total=False):
    """what is free but stranded, and the largest task that fits, over time"""

    use: Required[Literal['fragmentation']]
    every: float | str
    rows: int
    against: Literal['waiting', 'arrived', 'given']
    demand: float | Sequence[float]


class MetricLostCapacity(TypedDict, total=False):
    """why capacity stood idle while tasks were queued: by cause, over time"""

    use: Required[Literal['lost_capacity']]
    every: float | str
    rows: int
    of: str | float | bool


class MetricFailureDomains(TypedDict, total=False):
    """tasks and amounts lost at worst if one failure domain goes down"""

    use: Required[Literal['failure_domains']]
    every: float | str
    rows: int
    level: str | float | bool


class MetricFromOrigin(TypedDict, total=False):
    """makespan, utilisation and capacity loss, counted from time 0"""

    use: Required[Literal['from_origin']]


class MetricWaitSpread(TypedDict, total=False):
    """variance and deviation of waits over tasks"""

    use: Required[Literal['wait_spread']]


class MetricFairStart(TypedDict, total=False):
    """starts of tasks, compared with those that they would have had without the tasks that came later"""

    use: Required[Literal['fair_start']]
    all: int
    sample: int
    seed: int


class MetricHostBalance(TypedDict, total=False):
    """how evenly hosts are used: mean and variance over hosts of their mean use"""

    use: Required[Literal['host_balance']]


class MetricHostUse(TypedDict, total=False):
    """how much of hosts tasks and local load use: mean and variance over hosts"""

    use: Required[Literal['host_use']]
    sample: float | str


class MetricOccupancy(TypedDict, total=False):
    """how much hosts are used at all: by tasks, or by their own local load"""

    use: Required[Literal['occupancy']]
    dimension: str | float | bool


class MetricGpuFragments(TypedDict, total=False):
    """the part of free GPUs that typical tasks could not use (FGD), over time"""

    use: Required[Literal['gpu_fragments']]
    every: float | str
    rows: int
    popularity: int
    step: int
    cpu_only: bool | Literal['yes', 'no', 'on', 'off']
    by: Literal['cpu_gpu', 'all']
    typical: str | float | bool | Sequence[str | float | bool]


class MetricFairShare(TypedDict, total=False):
    """what users have against what is fair: deficits, distance, Jain's index, gain of pooling"""

    use: Required[Literal['fair_share']]
    every: float | str
    rows: int
    weights: str | float | bool | Sequence[str | float | bool]
    window: float | str
    users: int


class MetricUnderserved(TypedDict, total=False):
    """periods in which users have less than what is fair, and how satisfied they are"""

    use: Required[Literal['underserved']]
    every: float | str
    rows: int
    weights: str | float | bool | Sequence[str | float | bool]
    tolerance: float
    shortest: float | str
    power: float


class MetricEnvy(TypedDict, total=False):
    """how much users would rather have what another user has"""

    use: Required[Literal['envy']]
    every: float | str
    rows: int
    weights: str | float | bool | Sequence[str | float | bool]


class MetricPareto(TypedDict, total=False):
    """time in which a waiting task would fit what is free"""

    use: Required[Literal['pareto']]
    every: float | str
    rows: int


class MetricSharingIncentive(TypedDict, total=False):
    """what users had against their part of a cell that is split"""

    use: Required[Literal['sharing_incentive']]
    every: float | str
    rows: int
    weights: str | float | bool | Sequence[str | float | bool]
    parties: int


class MetricFinishTime(TypedDict, total=False):
    """finish-time fairness: time in the shared cluster over time on a part of it alone"""

    use: Required[Literal['finish_time']]
    weights: str | float | bool | Sequence[str | float | bool]
    parties: int


#: for how long each user's tasks ran, in a window
MetricTaskTime = TypedDict('MetricTaskTime', {
    'use': "Literal['task_time']",
    'every': "float | str",
    'rows': "int",
    'from': "float | str",
    'user': "int",
    'dimension': "str | float | bool",
    'rate': "float",
}, total=False)


class MetricPreemption(TypedDict, total=False):
    """running tasks that were stopped for others, and the work that was lost"""

    use: Required[Literal['preemption']]


class MetricByJob(TypedDict, total=False):
    """a table of jobs: when each came and ended, its attempts, and those that were stopped"""

    use: Required[Literal['by_job']]


class MetricSuspension(TypedDict, total=False):
    """running tasks that were suspended, and for how long"""

    use: Required[Literal['suspension']]


class MetricActivity(TypedDict, total=False):
    """what tasks did while they ran: phases, bytes, and how contention slowed them"""

    use: Required[Literal['activity']]
    contention: bool | Literal['yes', 'no', 'on', 'off']
    rows: bool | Literal['yes', 'no', 'on', 'off']


class MetricWorkflow(TypedDict, total=False):
    """schedules of workflows against lower bounds and one host: SLR, speed-up, efficiency, CCR"""

    use: Required[Literal['workflow']]
    rows: bool | Literal['yes', 'no', 'on', 'off']


class MetricResourceUse(TypedDict, total=False):
    """how much of cores, links and disks running tasks use, over time"""

    use: Required[Literal['resource_use']]
    every: float | str
    detail: Literal['none', 'each', 'series']


class MetricSensing(TypedDict, total=False):
    """what is used of cores, GPUs and links, sampled at regular intervals, as ElastiSim's sensing does"""

    use: Required[Literal['sensing']]
    every: float | str
    pfs_read: str | float | bool | Sequence[str | float | bool]
    pfs_write: str | float | bool | Sequence[str | float | bool]


class MetricPartTimes(TypedDict, total=False):
    """how long labelled parts of profiles took on each host, as ElastiSim's task times"""

    use: Required[Literal['part_times']]


class MetricEnergy(TypedDict, total=False):
    """what hosts draw: energy by their state, and power over time"""

    use: Required[Literal['energy']]
    every: float | str
    rows: int
    by: Literal['users', 'groups', 'queues', 'tasks'] | Sequence[Literal['users', 'groups', 'queues', 'tasks']]
    wasted: bool | Literal['yes', 'no', 'on', 'off']
    trace: bool | Literal['yes', 'no', 'on', 'off']
    network: bool | Literal['yes', 'no', 'on', 'off']
    pue: float
    price: float
    carbon: float
    tariff: str | float | bool
    carbon_column: str | float | bool


class MetricFailures(TypedDict, total=False):
    """attempts that were lost with hosts, and what checkpoints cost"""

    use: Required[Literal['failures']]


AnyTrim: TypeAlias = "Literal['pyss', 'window', 'ranks', 'full', 'ids', 'contended'] | TrimPyss | TrimWindow | TrimRanks | TrimFull | TrimIds | TrimContended"


class TrimPyss(TypedDict, total=False):
    """leave out the first 1 % of tasks to end, and those that ended after the last submission"""

    use: Required[Literal['pyss']]


#: tasks submitted within a given time
TrimWindow = TypedDict('TrimWindow', {
    'use': "Literal['window']",
    'from': "float | str",
    'to': "float | str",
}, total=False)


class TrimRanks(TypedDict, total=False):
    """leave out a share of the first and of the last submissions"""

    use: Required[Literal['ranks']]
    first: float
    last: float


class TrimFull(TypedDict, total=False):
    """tasks submitted since the machine was first full"""

    use: Required[Literal['full']]


class TrimIds(TypedDict, total=False):
    """tasks whose serial lies in a range"""

    use: Required[Literal['ids']]
    first: int
    last: int


class TrimContended(TypedDict, total=False):
    """while users compete: nothing fits, and no user has run out of tasks"""

    use: Required[Literal['contended']]
    fits: Literal['not_all', 'none']


AnyExporter: TypeAlias = "Literal['csv', 'json', 'swf', 'accasim', 'batsim', 'batsim_schedule', 'batsim_machine_states', 'batsim_consumed_energy', 'batsim_pstate_changes', 'gantt', 'columns', 'paje', 'perfetto', 'dslab', 'yt_operations', 'elastisim', 'elastisim_nodes', 'elastisim_sensing', 'elastisim_task_times', 'omega', 'irmasim'] | ExporterCsv | ExporterJson | ExporterSwf | ExporterAccasim | ExporterBatsim | ExporterBatsimSchedule | ExporterBatsimMachineStates | ExporterBatsimConsumedEnergy | ExporterBatsimPstateChanges | ExporterGantt | ExporterColumns | ExporterPaje | ExporterPerfetto | ExporterDslab | ExporterYtOperations | ExporterElastisim | ExporterElastisimNodes | ExporterElastisimSensing | ExporterElastisimTaskTimes | ExporterOmega | ExporterIrmasim"


class ExporterCsv(TypedDict, total=False):
    """one table as comma-separated values"""

    use: Required[Literal['csv']]
    table: Literal['tasks', 'summary', 'cells', 'rejected', 'configuration', 'inputs', 'rows', 'finals', 'run_info', 'jobs', 'hosts', 'grants', 'attempts', 'host_changes', 'resizes', 'regrants', 'regrant_devices', 'resize_rates', 'molds', 'reservations', 'announcements', 'overruns', 'power', 'silent_failures', 'conflicts', 'names', 'task_names', 'task_accounts']
    header: bool | Literal['yes', 'no', 'on', 'off']
    formulas: Literal['quote', 'keep']
    names: Literal['shown', 'numbers']


class ExporterJson(TypedDict, total=False):
    """the whole result as one JSON object"""

    use: Required[Literal['json']]
    tasks: bool | Literal['yes', 'no', 'on', 'off']
    run_info: bool | Literal['yes', 'no', 'on', 'off']


class ExporterSwf(TypedDict, total=False):
    """the schedule as a log in the Standard Workload Format"""

    use: Required[Literal['swf']]
    number: Literal['id', 'serial']
    header: bool | Literal['yes', 'no', 'on', 'off']


class ExporterAccasim(TypedDict, total=False):
    """the schedule in the layouts of AccaSim's own files"""

    use: Required[Literal['accasim']]
    file: Literal['plan', 'pretty', 'statistics', 'benchmark']
    node: int
    processor: int | Sequence[int]
    memory_unit: int | str


class ExporterBatsim(TypedDict, total=False):
    """the schedule as Batsim's _jobs.csv"""

    use: Required[Literal['batsim']]
    workload: str | float | bool
    profile: str | float | bool
    resized: Literal['pieces', 'whole']


class ExporterBatsimSchedule(TypedDict, total=False):
    """the sums of a schedule, as Batsim's _schedule.csv"""

    use: Required[Literal['batsim_schedule']]
    version: Literal['4', '5']


class ExporterBatsimMachineStates(TypedDict, total=False):
    """how many machines compute, idle or sleep over time, as Batsim's _machine_states.csv"""

    use: Required[Literal['batsim_machine_states']]


class ExporterBatsimConsumedEnergy(TypedDict, total=False):
    """what machines consumed up to each start and end of a task, as Batsim's _consumed_energy.csv"""

    use: Required[Literal['batsim_consumed_energy']]


class ExporterBatsimPstateChanges(TypedDict, total=False):
    """which machines were switched off and on, as Batsim's _pstate_changes.csv"""

    use: Required[Literal['batsim_pstate_changes']]
    on: int
    off: int


#: the schedule as a picture (SVG): processors or hosts, time, and queued tasks
ExporterGantt = TypedDict('ExporterGantt', {
    'use': "Literal['gantt']",
    'from': "float | str",
    'to': "float | str",
    'width': "int",
    'height': "int",
    'hosts': "Literal['auto', 'all', 'used']",
    'colour': "Literal['user', 'group', 'executable', 'queue', 'partition', 'task']",
    'detail': "Literal['auto', 'tasks', 'areas']",
    'legend': "bool | Literal['yes', 'no', 'on', 'off']",
    'labels': "bool | Literal['yes', 'no', 'on', 'off']",
}, total=False)


class ExporterColumns(TypedDict, total=False):
    """the schedule as packed columns of numbers, with a rectangle for each task (JSON)"""

    use: Required[Literal['columns']]


class ExporterPaje(TypedDict, total=False):
    """states of hosts and use of links over time, as a trace in Paje's format"""

    use: Required[Literal['paje']]


class ExporterPerfetto(TypedDict, total=False):
    """the schedule as a trace that ui.perfetto.dev and trace_processor open (protobuf)"""

    use: Required[Literal['perfetto']]


class ExporterDslab(TypedDict, total=False):
    """load, queue or shares over time in the layout of DSLab-CS"""

    use: Required[Literal['dslab']]
    table: Literal['load', 'queue', 'share']
    header: bool | Literal['yes', 'no', 'on', 'off']


class ExporterYtOperations(TypedDict, total=False):
    """finished operations in the layout of YTsaurus's scheduler simulator"""

    use: Required[Literal['yt_operations']]
    file: str | float | bool
    header: bool | Literal['yes', 'no', 'on', 'off']


class ExporterElastisim(TypedDict, total=False):
    """the schedule as ElastiSim's job_statistics.csv"""

    use: Required[Literal['elastisim']]


class ExporterElastisimNodes(TypedDict, total=False):
    """which jobs each node has over time, as ElastiSim's node_utilization.csv"""

    use: Required[Literal['elastisim_nodes']]


class ExporterElastisimSensing(TypedDict, total=False):
    """used shares of nodes, links and file system over time, as the files of ElastiSim's sensing"""

    use: Required[Literal['elastisim_sensing']]
    file: Literal['cpu', 'gpu', 'network', 'pfs']


class ExporterElastisimTaskTimes(TypedDict, total=False):
    """how long each task of a phase took on each node, as ElastiSim's task_times.csv"""

    use: Required[Literal['elastisim_task_times']]


class ExporterOmega(TypedDict, total=False):
    """a run of the world omega, as the protocol buffer of Google's Omega simulator"""

    use: Required[Literal['omega']]


class ExporterIrmasim(TypedDict, total=False):
    """a run of the world irmasim, as the logs of IRMaSim"""

    use: Required[Literal['irmasim']]
    log: Literal['jobs', 'simulation', 'summary', 'resources']


AnyCompat: TypeAlias = "Literal['predictsim', 'pyss', 'easypp', 'cqsim', 'alea', 'accasim', 'batsim', 'pseudo_cluster', 'google2013'] | CompatPredictsim | CompatPyss | CompatEasypp | CompatCqsim | CompatAlea | CompatAccasim | CompatBatsim | CompatPseudoCluster | CompatGoogle2013"


class CompatPredictsim(TypedDict, total=False):
    """predictsim: one decision an instant, plans stretched to the run time"""

    use: Required[Literal['predictsim']]


class CompatPyss(TypedDict, total=False):
    """pyss (2007): a decision after each event, submissions before ends"""

    use: Required[Literal['pyss']]


class CompatEasypp(TypedDict, total=False):
    """EASY++ as predictsim ran it in 2015: predicted run times, shortest first"""

    use: Required[Literal['easypp']]


class CompatCqsim(TypedDict, total=False):
    """CQSim: a decision after each event, true run times of waiting tasks"""

    use: Required[Literal['cqsim']]


class CompatAlea(TypedDict, total=False):
    """Alea: allocated processors, strict backfilling"""

    use: Required[Literal['alea']]


class CompatAccasim(TypedDict, total=False):
    """AccaSim: no kill at the limit, an EASY that does not protect its reservation"""

    use: Required[Literal['accasim']]


class CompatBatsim(TypedDict, total=False):
    """Batsim 4: parallel tasks over a platform of SimGrid, and a scheduler behind messages"""

    use: Required[Literal['batsim']]


class CompatPseudoCluster(TypedDict, total=False):
    """pseudo-cluster: its five figures as the program counts them, not as its paper does"""

    use: Required[Literal['pseudo_cluster']]


class CompatGoogle2013(TypedDict, total=False):
    """Google's Omega simulator: java.util.Random, randomised first fit, and its sixteen defects"""

    use: Required[Literal['google2013']]


AnyCarrier: TypeAlias = "Literal['local', 'slurm'] | CarrierLocal | CarrierSlurm"


class CarrierLocal(TypedDict, total=False):
    """worker processes on this machine"""

    use: Required[Literal['local']]


class CarrierSlurm(TypedDict, total=False):
    """an array job of the user's Slurm"""

    use: Required[Literal['slurm']]
    partition: str | float | bool
    account: str | float | bool
    qos: str | float | bool
    time: float | str
    memory: str | float | bool
    cpus: int
    chunk: float | str
    elements: int
    at_once: int
    retries: int
    on_interrupt: Literal['cancel', 'leave']
    sbatch: str | float | bool | Sequence[str | float | bool]
    setup: str | float | bool | Sequence[str | float | bool]
    command: str | float | bool
    poll: float | str
    patience: float | str


AnyWorld: TypeAlias = "Literal['omega', 'functions', 'vms', 'irmasim'] | WorldOmega | WorldFunctions | WorldVms | WorldIrmasim"


class WorldOmega(TypedDict, total=False):
    """Google's light-weight simulator of monolithic, two-level and shared-state scheduling"""

    use: Required[Literal['omega']]
    architecture: Literal['monolithic', 'shared_state', 'two_level']
    conflict: Literal['resource_fit', 'sequence_numbers']
    transaction: Literal['incremental', 'all_or_nothing']
    machines: int
    cpus: float
    memory: float
    run_time: float | str
    workloads: AnyWorkload | Sequence[AnyWorkload]
    prefill: AnyPrefill | Sequence[AnyPrefill]
    blacklist: float
    pick: Literal['choose', 'probe']
    ties: Literal['inserted', 'heap']
    defects: Literal['quantile', 'tail', 'clock', 'uniforms', 'seed', 'percentile', 'shapes', 'idle', 'conflicts', 'swept', 'mean_gap', 'leak', 'offers', 'attempted', 'sequence', 'blacklist', 'all'] | Sequence[Literal['quantile', 'tail', 'clock', 'uniforms', 'seed', 'percentile', 'shapes', 'idle', 'conflicts', 'swept', 'mean_gap', 'leak', 'offers', 'attempted', 'sequence', 'blacklist', 'all']]
    swept: float | str
    swept_task: float | str
    sweeps: Literal['last', 'all']
    offer_interval: float | str
    offer_think: float | str
    offer_order: str | float | bool | Sequence[str | float | bool]
    least_offer_cpus: float
    least_offer_memory: float
    retry_delay: float | str
    hopeless_attempts: int
    most_attempts: int
    monitor: float | str
    objective: float | str


class WorldFunctions(TypedDict, total=False):
    """a cloud that runs functions: containers, cold starts, keep-alive, contention for cores"""

    use: Required[Literal['functions']]
    nodes: AnyNode | Sequence[AnyNode]
    applications: AnyApplication | Sequence[AnyApplication]
    invocations: AnyInvocation | Sequence[AnyInvocation]
    scheduler: Literal['first_fit', 'least_loaded', 'round_robin', 'random', 'hash']
    load: Literal['shares', 'invocations']
    prefer_warm: bool | Literal['yes', 'no', 'on', 'off']
    avoid_queueing: bool | Literal['yes', 'no', 'on', 'off']
    hash_step: int
    warm_first: bool | Literal['yes', 'no', 'on', 'off']
    invoker: Literal['fifo', 'strict', 'greedy']
    cpu: Literal['ignored', 'isolated', 'contended']
    keep_alive: float | str
    reset: bool | Literal['yes', 'no', 'on', 'off']
    prewarm: float | str
    keeper: AnyKeeper


class WorldVms(TypedDict, total=False):
    """a cloud of virtual machines: boot and stop times, live migration, schedulers with stale beliefs"""

    use: Required[Literal['vms']]
    hosts: AnyVmHost | Sequence[AnyVmHost]
    vms: AnyVm | Sequence[AnyVm]
    file: str | float | bool
    migrations: AnyMigration | Sequence[AnyMigration]
    migrator: AnyMigrator
    place: Literal['first_fit', 'best_fit', 'worst_fit']
    schedulers: int
    boot: float | str
    stop: float | str
    message_delay: float | str
    retry: float | str
    timeout: float | str
    throughput: int | str
    report_period: float | str


class WorldIrmasim(TypedDict, total=False):
    """IRMaSim: jobs on the cores of nodes that contend for memory bandwidth and draw power"""

    use: Required[Literal['irmasim']]
    options: str | float | bool
    platform: str | float | bool
    library: str | float | bool
    platform_name: str | float | bool
    workload: str | float | bool
    manager: str | float | bool
    job_selection: str | float | bool
    resource_selection: str | float | bool
    metric: str | float | bool
    scheduling_option: str | float | bool
    seed: int
    trajectories: int
    trajectory_origin: int
    trajectory_length: int
    logs: bool | Literal['yes', 'no', 'on', 'off']


AnyMold: TypeAlias = "Literal['configured', 'max_parallelism', 'global_cap', 'relative_job_size', 'fewest', 'most', 'preferred', 'efficiency', 'earliest', 'load', 'fraction'] | MoldConfigured | MoldMaxParallelism | MoldGlobalCap | MoldRelativeJobSize | MoldFewest | MoldMost | MoldPreferred | MoldEfficiency | MoldEarliest | MoldLoad | MoldFraction"


class MoldConfigured(TypedDict, total=False):
    """as many workers as the job's user asked for"""

    use: Required[Literal['configured']]


class MoldMaxParallelism(TypedDict, total=False):
    """as many workers as help the job and find room"""

    use: Required[Literal['max_parallelism']]


class MoldGlobalCap(TypedDict, total=False):
    """workers are added only while the cell's utilisation stays below a cap"""

    use: Required[Literal['global_cap']]
    cap: float


class MoldRelativeJobSize(TypedDict, total=False):
    """at most so many times the workers that the job's user asked for"""

    use: Required[Literal['relative_job_size']]
    factor: float


class MoldFewest(TypedDict, total=False):
    """the smallest size that a task offers"""

    use: Required[Literal['fewest']]


class MoldMost(TypedDict, total=False):
    """the largest size that a task offers and the whole cell could hold"""

    use: Required[Literal['most']]


class MoldPreferred(TypedDict, total=False):
    """the size that a task's user prefers"""

    use: Required[Literal['preferred']]


class MoldEfficiency(TypedDict, total=False):
    """the largest size whose speed-up per slot is at least a threshold"""

    use: Required[Literal['efficiency']]
    threshold: float


class MoldEarliest(TypedDict, total=False):
    """the size in which a task is expected to end first"""

    use: Required[Literal['earliest']]


class MoldLoad(TypedDict, total=False):
    """a size by the free processors for each queued task"""

    use: Required[Literal['load']]
    share: float


class MoldFraction(TypedDict, total=False):
    """a part, or a multiple, of the size that a task asks for"""

    use: Required[Literal['fraction']]
    share: float


AnyReservation: TypeAlias = "Literal['reservation'] | ReservationReservation"


class ReservationReservation(TypedDict, total=False):
    """hosts or processors kept for some users at a known time"""

    use: Literal['reservation']
    file: str | float | bool
    name: str | float | bool
    hosts: str | float | bool | Sequence[str | float | bool]
    count: int
    units: int
    users: str | float | bool | Sequence[str | float | bool]
    accounts: str | float | bool | Sequence[str | float | bool]
    start: float | str
    end: float | str
    every: float | str
    times: int
    announced: float | str
    at_start: Literal['keep', 'requeue', 'checkpoint', 'stop']
    maintenance: bool | Literal['yes', 'no', 'on', 'off']


AnySetting: TypeAlias = "Literal['setting'] | SettingSetting"


class SettingSetting(TypedDict, total=False):
    """keys of the policy that have other values from a time on"""

    use: Literal['setting']
    at: float | str
    set: str | float | bool | Sequence[str | float | bool]


AnyPredictor: TypeAlias = "Literal['none', 'last_two', 'average', 'quantile'] | PredictorNone | PredictorLastTwo | PredictorAverage | PredictorQuantile"


class PredictorNone(TypedDict, total=False):
    """what users asked for is used as the prediction"""

    use: Required[Literal['none']]


class PredictorLastTwo(TypedDict, total=False):
    """the mean of the last two ended tasks of the same user, as in EASY++"""

    use: Required[Literal['last_two']]
    by: Literal['user', 'group', 'executable', 'queue', 'user_executable', 'user_units', 'user_limit', 'class', 'all'] | Sequence[Literal['user', 'group', 'executable', 'queue', 'user_executable', 'user_units', 'user_limit', 'class', 'all']]
    least: int
    factor: float
    renew: bool | Literal['yes', 'no', 'on', 'off']


class PredictorAverage(TypedDict, total=False):
    """the mean of all ended tasks of the same user"""

    use: Required[Literal['average']]
    by: Literal['user', 'group', 'executable', 'queue', 'user_executable', 'user_units', 'user_limit', 'class', 'all'] | Sequence[Literal['user', 'group', 'executable', 'queue', 'user_executable', 'user_units', 'user_limit', 'class', 'all']]
    least: int
    factor: float
    renew: bool | Literal['yes', 'no', 'on', 'off']


class PredictorQuantile(TypedDict, total=False):
    """a quantile of the last run times of the same user, program or class"""

    use: Required[Literal['quantile']]
    by: Literal['user', 'group', 'executable', 'queue', 'user_executable', 'user_units', 'user_limit', 'class', 'all'] | Sequence[Literal['user', 'group', 'executable', 'queue', 'user_executable', 'user_units', 'user_limit', 'class', 'all']]
    least: int
    factor: float
    renew: bool | Literal['yes', 'no', 'on', 'off']
    q: float
    window: int


AnyModel: TypeAlias = "Literal['activities'] | ModelActivities"


class ModelActivities(TypedDict, total=False):
    """tasks do what their profiles say: compute, send, wait"""

    use: Literal['activities']
    cpu_speed: float | str
    gpu_speed: float | str
    network: AnyNetwork
    sharing: Literal['max_min', 'bottleneck']
    disks: AnyDisk | Sequence[AnyDisk]
    delay_at_limit: Literal['done', 'killed']
    overcommit: str | float | bool | Sequence[str | float | bool]
    core_sharing: Literal['proportional', 'equal']
    memory_victim: Literal['last_started', 'largest', 'most_over']
    admission: Literal['request', 'use']
    threshold: float
    max_activities: int
    data_transfers: Literal['direct', 'via_master']
    data_master: str | float | bool
    data_storage: str | float | bool


AnyProfile: TypeAlias = "Literal['idle', 'delay', 'compute_homogeneous', 'compute_vector', 'communication_homogeneous', 'communication_matrix', 'communication_src_dst', 'communication_external', 'disk_ops', 'file_read', 'file_write', 'file_copy', 'file_delete', 'master_workers', 'all_to_all', 'gather', 'scatter', 'broadcast', 'reduce', 'ring', 'stencil', 'tree', 'sequence', 'parallel', 'parallel_task', 'parallel_homogeneous', 'fail', 'exchange', 'staging', 'replay', 'trace_rank', 'rank_transfer', 'storage_mapping', 'coupled', 'phase', 'point', 'ranks', 'gpus', 'part'] | ProfileIdle | ProfileDelay | ProfileComputeHomogeneous | ProfileComputeVector | ProfileCommunicationHomogeneous | ProfileCommunicationMatrix | ProfileCommunicationSrcDst | ProfileCommunicationExternal | ProfileDiskOps | ProfileFileRead | ProfileFileWrite | ProfileFileCopy | ProfileFileDelete | ProfileMasterWorkers | ProfileAllToAll | ProfileGather | ProfileScatter | ProfileBroadcast | ProfileReduce | ProfileRing | ProfileStencil | ProfileTree | ProfileSequence | ProfileParallel | ProfileParallelTask | ProfileParallelHomogeneous | ProfileFail | ProfileExchange | ProfileStaging | ProfileReplay | ProfileTraceRank | ProfileRankTransfer | ProfileStorageMapping | ProfileCoupled | ProfilePhase | ProfilePoint | ProfileRanks | ProfileGpus | ProfilePart"


class ProfileIdle(TypedDict, total=False):
    """no activity, for a fixed time"""

    use: Required[Literal['idle']]
    time: float | str


class ProfileDelay(TypedDict, total=False):
    """a fixed time"""

    use: Required[Literal['delay']]
    time: float | str


class ProfileComputeHomogeneous(TypedDict, total=False):
    """the same work on each process"""

    use: Required[Literal['compute_homogeneous']]
    compute_work: float | str
    speedup: AnySpeedup


class ProfileComputeVector(TypedDict, total=False):
    """a different amount of work on each process"""

    use: Required[Literal['compute_vector']]
    compute_work: float | str | Sequence[float | str]
    speedup: AnySpeedup


class ProfileCommunicationHomogeneous(TypedDict, total=False):
    """each process sends the same number of bytes to each other process"""

    use: Required[Literal['communication_homogeneous']]
    size: float | str


class ProfileCommunicationMatrix(TypedDict, total=False):
    """bytes from each process to each process, by a matrix"""

    use: Required[Literal['communication_matrix']]
    matrix: float | str | Sequence[float | str]


class ProfileCommunicationSrcDst(TypedDict, total=False):
    """each sending process sends the same number of bytes to each receiving process"""

    use: Required[Literal['communication_src_dst']]
    src: int | Sequence[int]
    dst: int | Sequence[int]
    size: float | str


class ProfileCommunicationExternal(TypedDict, total=False):
    """processes receive from and send to a host outside the task"""

    use: Required[Literal['communication_external']]
    processes: int | Sequence[int]
    input_size: float | str
    output_size: float | str
    host: int


class ProfileDiskOps(TypedDict, total=False):
    """processes read and write on the disks of their hosts"""

    use: Required[Literal['disk_ops']]
    processes: int | Sequence[int]
    read_size: float | str
    write_size: float | str
    discard_size: float | str
    read_factor: float
    write_factor: float


class ProfileFileRead(TypedDict, total=False):
    """processes read a file"""

    use: Required[Literal['file_read']]
    path: str | float | bool
    size: float | str
    factor: float
    processes: int | Sequence[int]
    ranks: Literal['all', 'root', 'even', 'odd']


class ProfileFileWrite(TypedDict, total=False):
    """processes append to a file"""

    use: Required[Literal['file_write']]
    path: str | float | bool
    size: float | str
    factor: float
    processes: int | Sequence[int]
    ranks: Literal['all', 'root', 'even', 'odd']


#: processes copy a file: stage in, stage out
ProfileFileCopy = TypedDict('ProfileFileCopy', {
    'use': "Literal['file_copy']",
    'from': "str | float | bool",
    'to': "str | float | bool",
    'size': "float | str",
    'processes': "int | Sequence[int]",
}, total=False)


class ProfileFileDelete(TypedDict, total=False):
    """processes delete a file"""

    use: Required[Literal['file_delete']]
    path: str | float | bool
    processes: int | Sequence[int]


class ProfileMasterWorkers(TypedDict, total=False):
    """a master sends data to workers, which compute; then the master computes"""

    use: Required[Literal['master_workers']]
    master_compute_work: float | str
    worker_compute_work: float | str
    data_transfer_size: float | str
    speedup: AnySpeedup


class ProfileAllToAll(TypedDict, total=False):
    """each process sends the same number of bytes to each other process"""

    use: Required[Literal['all_to_all']]
    size: float | str
    together: bool | Literal['yes', 'no', 'on', 'off']


class ProfileGather(TypedDict, total=False):
    """each process sends the same number of bytes to the root"""

    use: Required[Literal['gather']]
    size: float | str
    root: int
    together: bool | Literal['yes', 'no', 'on', 'off']


class ProfileScatter(TypedDict, total=False):
    """the root sends the same number of bytes to each other process"""

    use: Required[Literal['scatter']]
    size: float | str
    root: int
    together: bool | Literal['yes', 'no', 'on', 'off']


class ProfileBroadcast(TypedDict, total=False):
    """the bytes of one process come to all others"""

    use: Required[Literal['broadcast']]
    size: float | str
    root: int
    algorithm: Literal['flat', 'binomial']
    together: bool | Literal['yes', 'no', 'on', 'off']


class ProfileReduce(TypedDict, total=False):
    """the values of all processes are combined on one of them"""

    use: Required[Literal['reduce']]
    size: float | str
    work: float | str
    root: int
    algorithm: Literal['flat', 'binomial']
    together: bool | Literal['yes', 'no', 'on', 'off']


class ProfileRing(TypedDict, total=False):
    """each process sends to its neighbours on a ring"""

    use: Required[Literal['ring']]
    size: float | str
    direction: Literal['clockwise', 'counter', 'both']
    together: bool | Literal['yes', 'no', 'on', 'off']


class ProfileStencil(TypedDict, total=False):
    """each process sends to its neighbours on a grid"""

    use: Required[Literal['stencil']]
    size: float | str
    grid: int | Sequence[int]
    dimensions: int
    periodic: bool | Literal['yes', 'no', 'on', 'off']
    together: bool | Literal['yes', 'no', 'on', 'off']


class ProfileTree(TypedDict, total=False):
    """each process sends to its parent and its children in a tree"""

    use: Required[Literal['tree']]
    size: float | str
    arity: int
    direction: Literal['up', 'down', 'both']
    together: bool | Literal['yes', 'no', 'on', 'off']


class ProfileSequence(TypedDict, total=False):
    """other profiles one after the other, once or several times"""

    use: Required[Literal['sequence']]
    profiles: AnyProfile | Sequence[AnyProfile]
    repeat: int


class ProfileParallel(TypedDict, total=False):
    """other profiles at the same time, once or several times"""

    use: Required[Literal['parallel']]
    profiles: AnyProfile | Sequence[AnyProfile]
    repeat: int


class ProfileParallelTask(TypedDict, total=False):
    """work and bytes that progress at one rate"""

    use: Required[Literal['parallel_task']]
    cpu: float | str | Sequence[float | str]
    com: float | str | Sequence[float | str]


class ProfileParallelHomogeneous(TypedDict, total=False):
    """a parallel task whose processes are alike"""

    use: Required[Literal['parallel_homogeneous']]
    cpu: float | str
    com: float | str
    total: bool | Literal['yes', 'no', 'on', 'off']
    by_pairs: bool | Literal['yes', 'no', 'on', 'off']


class ProfileFail(TypedDict, total=False):
    """fails at once"""

    use: Required[Literal['fail']]


class ProfileExchange(TypedDict, total=False):
    """processes read from and write to a storage host, at one rate"""

    use: Required[Literal['exchange']]
    storage: str | float | bool
    read: float | str
    write: float | str


#: bytes from one storage host to another
ProfileStaging = TypedDict('ProfileStaging', {
    'use': "Literal['staging']",
    'from': "str | float | bool",
    'to': "str | float | bool",
    'bytes': "float | str",
}, total=False)


class ProfileReplay(TypedDict, total=False):
    """the ranks of a trace, each on a process"""

    use: Required[Literal['replay']]
    ranks: AnyProfile | Sequence[AnyProfile]
    report: float | str


class ProfileTraceRank(TypedDict, total=False):
    """the computations of one rank of a trace"""

    use: Required[Literal['trace_rank']]
    rank: int
    work: float | str | Sequence[float | str]
    busy: float | Sequence[float]


#: a message from one rank of a trace to another
ProfileRankTransfer = TypedDict('ProfileRankTransfer', {
    'use': "Literal['rank_transfer']",
    'from': "int",
    'to': "int",
    'bytes': "float | str",
}, total=False)


class ProfileStorageMapping(TypedDict, total=False):
    """another profile, in which names of storage are replaced"""

    use: Required[Literal['storage_mapping']]
    mapping: str | float | bool | Sequence[str | float | bool]
    profile: AnyProfile


class ProfileCoupled(TypedDict, total=False):
    """several parallel tasks as one, at one rate"""

    use: Required[Literal['coupled']]
    profiles: AnyProfile | Sequence[AnyProfile]


class ProfilePhase(TypedDict, total=False):
    """rounds of a profile, with scheduling points between them"""

    use: Required[Literal['phase']]
    profile: AnyProfile
    iterations: int
    between: AnyProfile
    enter: AnyProfile


class ProfilePoint(TypedDict, total=False):
    """a scheduling point: the task may have other hosts from here on"""

    use: Required[Literal['point']]
    scheduling: bool | Literal['yes', 'no', 'on', 'off']
    asks: bool | Literal['yes', 'no', 'on', 'off']
    request: float
    on_change: AnyProfile
    on_growth: AnyProfile


class ProfileRanks(TypedDict, total=False):
    """work and messages that a rule deals out to any number of processes"""

    use: Required[Literal['ranks']]
    work: float | str
    compute: Literal['uniform', 'total', 'root', 'even', 'odd']
    size: float | str
    send: Literal['none', 'all_to_all', 'gather', 'scatter', 'ring', 'clockwise', 'counter', 'master_worker']
    coupled: bool | Literal['yes', 'no', 'on', 'off']


class ProfileGpus(TypedDict, total=False):
    """work on GPUs of each process's host"""

    use: Required[Literal['gpus']]
    work: float | str | Sequence[float | str]
    deal: Literal['uniform', 'total', 'root', 'even', 'odd']
    gpus: float


class ProfilePart(TypedDict, total=False):
    """another profile, whose times are counted under a label"""

    use: Required[Literal['part']]
    label: str | float | bool
    profile: AnyProfile


AnyNetwork: TypeAlias = "Literal['constant', 'shared', 'star', 'backbone', 'tree', 'fat_tree', 'rack_tree', 'torus', 'dragonfly', 'full_mesh', 'graph', 'simgrid'] | NetworkConstant | NetworkShared | NetworkStar | NetworkBackbone | NetworkTree | NetworkFatTree | NetworkRackTree | NetworkTorus | NetworkDragonfly | NetworkFullMesh | NetworkGraph | NetworkSimgrid"


class NetworkConstant(TypedDict, total=False):
    """every flow has the full bandwidth: no flow slows another"""

    use: Required[Literal['constant']]
    bandwidth: int | str
    latency: float | str
    local_bandwidth: int | str
    local_latency: float | str
    local_sharing: Literal['shared', 'fatpipe']
    factors: Literal['plain', 'lv08', 'cm02']
    latency_factor: float
    bandwidth_factor: float
    weight_s: float | str
    tcp_gamma: float | str
    cross_traffic: float
    link_watts: float | Sequence[float]
    switch_watts: float


class NetworkShared(TypedDict, total=False):
    """one link, which all flows between hosts share evenly"""

    use: Required[Literal['shared']]
    bandwidth: int | str
    latency: float | str
    local_bandwidth: int | str
    local_latency: float | str
    local_sharing: Literal['shared', 'fatpipe']
    factors: Literal['plain', 'lv08', 'cm02']
    latency_factor: float
    bandwidth_factor: float
    weight_s: float | str
    tcp_gamma: float | str
    cross_traffic: float
    link_watts: float | Sequence[float]
    switch_watts: float


class NetworkStar(TypedDict, total=False):
    """a cable from each host to one switch"""

    use: Required[Literal['star']]
    bandwidth: int | str
    latency: float | str
    duplex: Literal['full', 'half', 'fatpipe']
    local_bandwidth: int | str
    local_latency: float | str
    local_sharing: Literal['shared', 'fatpipe']
    factors: Literal['plain', 'lv08', 'cm02']
    latency_factor: float
    bandwidth_factor: float
    weight_s: float | str
    tcp_gamma: float | str
    cross_traffic: float
    link_watts: float | Sequence[float]
    switch_watts: float


class NetworkBackbone(TypedDict, total=False):
    """a cable from each host to a backbone that all share"""

    use: Required[Literal['backbone']]
    bandwidth: int | str
    latency: float | str
    duplex: Literal['full', 'half', 'fatpipe']
    backbone_bandwidth: int | str
    backbone_latency: float | str
    backbone_sharing: Literal['shared', 'fatpipe']
    local_bandwidth: int | str
    local_latency: float | str
    local_sharing: Literal['shared', 'fatpipe']
    factors: Literal['plain', 'lv08', 'cm02']
    latency_factor: float
    bandwidth_factor: float
    weight_s: float | str
    tcp_gamma: float | str
    cross_traffic: float
    link_watts: float | Sequence[float]
    switch_watts: float


class NetworkTree(TypedDict, total=False):
    """a tree of switches, with one way between any two hosts"""

    use: Required[Literal['tree']]
    children: int | Sequence[int]
    bandwidth: int | str | Sequence[int | str]
    latency: float | str | Sequence[float | str]
    duplex: Literal['full', 'half', 'fatpipe']
    local_bandwidth: int | str
    local_latency: float | str
    local_sharing: Literal['shared', 'fatpipe']
    factors: Literal['plain', 'lv08', 'cm02']
    latency_factor: float
    bandwidth_factor: float
    weight_s: float | str
    tcp_gamma: float | str
    cross_traffic: float
    link_watts: float | Sequence[float]
    switch_watts: float


class NetworkFatTree(TypedDict, total=False):
    """a fat tree: a tree with several switches, and so several ways up, at each level"""

    use: Required[Literal['fat_tree']]
    k: int
    children: int | Sequence[int]
    parents: int | Sequence[int]
    cables: int | Sequence[int]
    bandwidth: int | str | Sequence[int | str]
    latency: float | str | Sequence[float | str]
    duplex: Literal['full', 'half', 'fatpipe']
    choice: Literal['d_mod_k', 'ecmp', 'static']
    seed: int
    local_bandwidth: int | str
    local_latency: float | str
    local_sharing: Literal['shared', 'fatpipe']
    factors: Literal['plain', 'lv08', 'cm02']
    latency_factor: float
    bandwidth_factor: float
    weight_s: float | str
    tcp_gamma: float | str
    cross_traffic: float
    link_watts: float | Sequence[float]
    switch_watts: float


class NetworkRackTree(TypedDict, total=False):
    """racks below core switches: the fat tree of two levels of DSLab-CS"""

    use: Required[Literal['rack_tree']]
    racks: int
    cores: int
    bandwidth: int | str
    latency: float | str
    core_bandwidth: int | str
    core_latency: float | str
    duplex: Literal['full', 'half', 'fatpipe']
    choice: Literal['static', 'd_mod_k', 'ecmp']
    seed: int
    local_bandwidth: int | str
    local_latency: float | str
    local_sharing: Literal['shared', 'fatpipe']
    factors: Literal['plain', 'lv08', 'cm02']
    latency_factor: float
    bandwidth_factor: float
    weight_s: float | str
    tcp_gamma: float | str
    cross_traffic: float
    link_watts: float | Sequence[float]
    switch_watts: float


class NetworkTorus(TypedDict, total=False):
    """a torus: each host has a cable to the next one in each dimension"""

    use: Required[Literal['torus']]
    dimensions: int | Sequence[int]
    bandwidth: int | str
    latency: float | str
    duplex: Literal['full', 'half', 'fatpipe']
    local_bandwidth: int | str
    local_latency: float | str
    local_sharing: Literal['shared', 'fatpipe']
    factors: Literal['plain', 'lv08', 'cm02']
    latency_factor: float
    bandwidth_factor: float
    weight_s: float | str
    tcp_gamma: float | str
    cross_traffic: float
    link_watts: float | Sequence[float]
    switch_watts: float


class NetworkDragonfly(TypedDict, total=False):
    """groups of chassis of blades, each level connected all to all"""

    use: Required[Literal['dragonfly']]
    groups: int
    chassis: int
    blades: int
    nodes: int
    group_cables: int
    chassis_cables: int
    blade_cables: int
    bandwidth: int | str
    latency: float | str
    duplex: Literal['full', 'half', 'fatpipe']
    local_bandwidth: int | str
    local_latency: float | str
    local_sharing: Literal['shared', 'fatpipe']
    factors: Literal['plain', 'lv08', 'cm02']
    latency_factor: float
    bandwidth_factor: float
    weight_s: float | str
    tcp_gamma: float | str
    cross_traffic: float
    link_watts: float | Sequence[float]
    switch_watts: float


class NetworkFullMesh(TypedDict, total=False):
    """a cable between each two hosts: flows of different pairs share no link"""

    use: Required[Literal['full_mesh']]
    bandwidth: int | str
    latency: float | str
    duplex: Literal['full', 'half', 'fatpipe']
    local_bandwidth: int | str
    local_latency: float | str
    local_sharing: Literal['shared', 'fatpipe']
    factors: Literal['plain', 'lv08', 'cm02']
    latency_factor: float
    bandwidth_factor: float
    weight_s: float | str
    tcp_gamma: float | str
    cross_traffic: float
    link_watts: float | Sequence[float]
    switch_watts: float


class NetworkGraph(TypedDict, total=False):
    """any network, given connection by connection, with routes of least latency"""

    use: Required[Literal['graph']]
    connections: AnyConnection | Sequence[AnyConnection]
    near: Literal['auto', 'latency', 'hops']
    local_bandwidth: int | str
    local_latency: float | str
    local_sharing: Literal['shared', 'fatpipe']
    factors: Literal['plain', 'lv08', 'cm02']
    latency_factor: float
    bandwidth_factor: float
    weight_s: float | str
    tcp_gamma: float | str
    cross_traffic: float
    link_watts: float | Sequence[float]
    switch_watts: float


class NetworkSimgrid(TypedDict, total=False):
    """a platform of SimGrid, from its XML file"""

    use: Required[Literal['simgrid']]
    file: str | float | bool
    factors: Literal['as_file', 'plain', 'lv08', 'cm02']
    latency_factor: float
    bandwidth_factor: float
    weight_s: float | str
    tcp_gamma: float | str
    cross_traffic: float
    link_watts: float | Sequence[float]


AnyConnection: TypeAlias = "Literal['connection'] | ConnectionConnection"


#: a cable between two nodes of a graph
ConnectionConnection = TypedDict('ConnectionConnection', {
    'use': "Literal['connection']",
    'from': "str | float | bool",
    'to': "str | float | bool",
    'bandwidth': "int | str",
    'latency': "float | str",
    'duplex': "Literal['full', 'half', 'fatpipe', 'one_way']",
}, total=False)


AnyDisk: TypeAlias = "Literal['disk', 'striped', 'simgrid'] | DiskDisk | DiskStriped | DiskSimgrid"


class DiskDisk(TypedDict, total=False):
    """a disk for each of some hosts, or one that they share"""

    use: Literal['disk']
    hosts: str | float | bool | Sequence[str | float | bool]
    shared: bool | Literal['yes', 'no', 'on', 'off']
    at: str | float | bool
    wide: bool | Literal['yes', 'no', 'on', 'off']
    mount: str | float | bool
    files: str | float | bool | Sequence[str | float | bool]
    read_bandwidth: int | str
    write_bandwidth: int | str
    read_by: int | str | Sequence[int | str]
    write_by: int | str | Sequence[int | str]
    capacity: int | str
    operations: int
    reads: int
    writes: int
    order: Literal['fifo', 'smallest', 'reads_first']
    kept: Literal['task', 'always']
    one_rate: bool | Literal['yes', 'no', 'on', 'off']


class DiskStriped(TypedDict, total=False):
    """a shared file system over several disks: parallel storage, a burst buffer"""

    use: Required[Literal['striped']]
    hosts: str | float | bool | Sequence[str | float | bool]
    servers: str | float | bool | Sequence[str | float | bool]
    mount: str | float | bool
    files: str | float | bool | Sequence[str | float | bool]
    disks: int
    stripes: int
    read_bandwidth: int | str
    write_bandwidth: int | str
    read_by: int | str | Sequence[int | str]
    write_by: int | str | Sequence[int | str]
    capacity: int | str
    operations: int
    reads: int
    writes: int
    order: Literal['fifo', 'smallest', 'reads_first']
    kept: Literal['task', 'always']
    one_rate: bool | Literal['yes', 'no', 'on', 'off']


class DiskSimgrid(TypedDict, total=False):
    """the disks of a platform of SimGrid"""

    use: Required[Literal['simgrid']]
    file: str | float | bool
    kept: Literal['task', 'always']
    one_rate: bool | Literal['yes', 'no', 'on', 'off']


AnySpeedup: TypeAlias = "Literal['linear', 'amdahl', 'downey', 'table', 'roofline', 'expr', 'goodput'] | SpeedupLinear | SpeedupAmdahl | SpeedupDowney | SpeedupTable | SpeedupRoofline | SpeedupExpr | SpeedupGoodput"


class SpeedupLinear(TypedDict, total=False):
    """n cores are n times as fast as one"""

    use: Required[Literal['linear']]


class SpeedupAmdahl(TypedDict, total=False):
    """a part of the work is done by one core, the rest by all"""

    use: Required[Literal['amdahl']]
    fraction: float


class SpeedupDowney(TypedDict, total=False):
    """Downey's curve of an average parallelism and its variance"""

    use: Required[Literal['downey']]
    parallelism: float
    sigma: float


class SpeedupTable(TypedDict, total=False):
    """a table of measured speed-ups, one for each number of cores"""

    use: Required[Literal['table']]
    speedups: float | Sequence[float]


class SpeedupRoofline(TypedDict, total=False):
    """linear up to a knee, level from there on"""

    use: Required[Literal['roofline']]
    knee: float


class SpeedupExpr(TypedDict, total=False):
    """a formula over the number of cores"""

    use: Required[Literal['expr']]
    expr: str | float | bool


class SpeedupGoodput(TypedDict, total=False):
    """training whose batch grows with the number of its GPUs: the goodput of Pollux"""

    use: Required[Literal['goodput']]
    grad: float
    example: float
    near: float
    near_each: float
    far: float
    far_each: float
    gamma: float
    noise: float
    batch: float
    most: float
    memory: float
    per_host: float


AnyPlot: TypeAlias = "Literal['curve', 'bars', 'ecdf', 'forest', 'heat', 'series', 'areas', 'schedulers'] | PlotCurve | PlotBars | PlotEcdf | PlotForest | PlotHeat | PlotSeries | PlotAreas | PlotSchedulers"


class PlotCurve(TypedDict, total=False):
    """a figure of a study over an axis, with bands for its intervals"""

    use: Required[Literal['curve']]
    x: str | float | bool
    by: str | float | bool
    figure: str | float | bool
    where: str | float | bool | Sequence[str | float | bool]
    over: str | float | bool | Sequence[str | float | bool]
    level: float
    show: str | float | bool | Sequence[str | float | bool]
    log: Literal['none', 'x', 'y', 'xy']
    zero: bool | Literal['yes', 'no', 'on', 'off']
    markers: bool | Literal['yes', 'no', 'on', 'off']


class PlotBars(TypedDict, total=False):
    """a figure of results, or of the levels of a study's axis, as bars with intervals"""

    use: Required[Literal['bars']]
    by: str | float | bool
    x: str | float | bool
    figure: str | float | bool
    where: str | float | bool | Sequence[str | float | bool]
    over: str | float | bool | Sequence[str | float | bool]
    level: float
    of: str | float | bool
    values: bool | Literal['yes', 'no', 'on', 'off']


class PlotEcdf(TypedDict, total=False):
    """the distribution of a value of tasks: wait, slowdown, any expression"""

    use: Required[Literal['ecdf']]
    of: str | float | bool
    log: Literal['auto', 'none', 'x']
    above: bool | Literal['yes', 'no', 'on', 'off']


class PlotForest(TypedDict, total=False):
    """paired differences from a baseline, with intervals"""

    use: Required[Literal['forest']]
    by: str | float | bool
    figure: str | float | bool
    where: str | float | bool | Sequence[str | float | bool]
    over: str | float | bool | Sequence[str | float | bool]
    level: float
    baseline: str | float | bool
    of: str | float | bool
    relative: bool | Literal['yes', 'no', 'on', 'off']


class PlotHeat(TypedDict, total=False):
    """a mean over two traits of tasks, or over two axes of a study, as a field of cells"""

    use: Required[Literal['heat']]
    x: str | float | bool
    y: str | float | bool
    of: str | float | bool
    take: Literal['mean', 'sum', 'count', 'median']
    figure: str | float | bool
    where: str | float | bool | Sequence[str | float | bool]
    over: str | float | bool | Sequence[str | float | bool]
    marks: str | float | bool
    log: bool | Literal['yes', 'no', 'on', 'off']
    values: bool | Literal['yes', 'no', 'on', 'off']


#: results over time: use, queue and running tasks
PlotSeries = TypedDict('PlotSeries', {
    'use': "Literal['series']",
    'of': "Literal['utilisation', 'queue', 'running', 'queued_width'] | Sequence[Literal['utilisation', 'queue', 'running', 'queued_width']]",
    'from': "float | str",
    'to': "float | str",
    'every': "float | str",
    'weekends': "bool | Literal['yes', 'no', 'on', 'off']",
}, total=False)


#: figures that a metric kept over time, as stacked areas: lost capacity by cause
PlotAreas = TypedDict('PlotAreas', {
    'use': "Literal['areas']",
    'table': "str | float | bool",
    'show': "str | float | bool | Sequence[str | float | bool]",
    'from': "float | str",
    'to': "float | str",
    'weekends': "bool | Literal['yes', 'no', 'on', 'off']",
}, total=False)


class PlotSchedulers(TypedDict, total=False):
    """how busy each scheduler of results was: with useful attempts, conflicts, attempts in vain"""

    use: Required[Literal['schedulers']]
    values: bool | Literal['yes', 'no', 'on', 'off']


AnyPower: TypeAlias = "Literal['linear', 'square', 'cubic', 'square_root', 'mse', 'asymptotic', 'constant', 'table', 'dvfs', 'states', 'simgrid', 'ddr3', 'gpus'] | PowerLinear | PowerSquare | PowerCubic | PowerSquareRoot | PowerMse | PowerAsymptotic | PowerConstant | PowerTable | PowerDvfs | PowerStates | PowerSimgrid | PowerDdr3 | PowerGpus"


class PowerLinear(TypedDict, total=False):
    """in proportion to the load"""

    use: Required[Literal['linear']]
    classes: str | float | bool | Sequence[str | float | bool]
    idle: float
    peak: float
    least: float
    off: float
    stopping: float
    starting: float


class PowerSquare(TypedDict, total=False):
    """with the square of the load"""

    use: Required[Literal['square']]
    classes: str | float | bool | Sequence[str | float | bool]
    idle: float
    peak: float
    least: float
    off: float
    stopping: float
    starting: float


class PowerCubic(TypedDict, total=False):
    """with the cube of the load"""

    use: Required[Literal['cubic']]
    classes: str | float | bool | Sequence[str | float | bool]
    idle: float
    peak: float
    least: float
    off: float
    stopping: float
    starting: float


class PowerSquareRoot(TypedDict, total=False):
    """with the square root of the load"""

    use: Required[Literal['square_root']]
    classes: str | float | bool | Sequence[str | float | bool]
    idle: float
    peak: float
    least: float
    off: float
    stopping: float
    starting: float


class PowerMse(TypedDict, total=False):
    """by 2 u - u^r, a curve fitted to measurements of servers"""

    use: Required[Literal['mse']]
    classes: str | float | bool | Sequence[str | float | bool]
    idle: float
    peak: float
    least: float
    off: float
    stopping: float
    starting: float
    exponent: float


class PowerAsymptotic(TypedDict, total=False):
    """the sum of a linear part, u, and of one that saturates, 1 - exp(-u / tau)"""

    use: Required[Literal['asymptotic']]
    classes: str | float | bool | Sequence[str | float | bool]
    idle: float
    peak: float
    least: float
    off: float
    stopping: float
    starting: float
    tau: float


class PowerConstant(TypedDict, total=False):
    """the same at any load"""

    use: Required[Literal['constant']]
    classes: str | float | bool | Sequence[str | float | bool]
    watts: float
    off: float
    stopping: float
    starting: float


class PowerTable(TypedDict, total=False):
    """as measured at equal steps of the load"""

    use: Required[Literal['table']]
    classes: str | float | bool | Sequence[str | float | bool]
    watts: float | Sequence[float]
    off: float
    stopping: float
    starting: float


class PowerDvfs(TypedDict, total=False):
    """in proportion to the load, and to the frequency of the cores"""

    use: Required[Literal['dvfs']]
    classes: str | float | bool | Sequence[str | float | bool]
    idle: float
    by_load: float
    by_frequency: float
    frequency: float
    off: float
    stopping: float
    starting: float


class PowerStates(TypedDict, total=False):
    """in proportion to the load, by one of several states of power"""

    use: Required[Literal['states']]
    classes: str | float | bool | Sequence[str | float | bool]
    idle: float | Sequence[float]
    peak: float | Sequence[float]
    pstate: int
    speeds: float | Sequence[float]
    off: float
    stopping: float
    starting: float


class PowerSimgrid(TypedDict, total=False):
    """as SimGrid: from the properties of a platform's hosts"""

    use: Required[Literal['simgrid']]
    classes: str | float | bool | Sequence[str | float | bool]
    pstate: int
    sleeps: bool | Literal['yes', 'no', 'on', 'off']


class PowerDdr3(TypedDict, total=False):
    """memory of a host, in addition to what its cores draw: modules of DDR3"""

    use: Required[Literal['ddr3']]
    classes: str | float | bool | Sequence[str | float | bool]
    module: int | str
    watts: float
    reads: float
    writes: float
    off: float


class PowerGpus(TypedDict, total=False):
    """GPUs of a host, in addition to what its cores draw"""

    use: Required[Literal['gpus']]
    classes: str | float | bool | Sequence[str | float | bool]
    idle: float
    peak: float
    least: float
    off: float
    stopping: float
    starting: float


AnyCheckpoint: TypeAlias = "Literal['fixed', 'young', 'daly'] | CheckpointFixed | CheckpointYoung | CheckpointDaly"


class CheckpointFixed(TypedDict, total=False):
    """after a fixed amount of work"""

    use: Required[Literal['fixed']]
    every: float | str
    write: float | str
    read: float | str
    size: int | str
    memory: float
    bandwidth: int | str
    global_each: int
    local_write: float | str
    local_read: float | str
    local_survives: float
    store: str | float | bool
    local_store: str | float | bool


class CheckpointYoung(TypedDict, total=False):
    """after work of sqrt(2 C M), from the cost of a checkpoint and the mean time between failures"""

    use: Required[Literal['young']]
    mtbf: float | str
    write: float | str
    read: float | str
    size: int | str
    memory: float
    bandwidth: int | str
    global_each: int
    local_write: float | str
    local_read: float | str
    local_survives: float
    store: str | float | bool
    local_store: str | float | bool


class CheckpointDaly(TypedDict, total=False):
    """after work by Daly's formula of higher order, from the cost of a checkpoint and the mean time
    between failures"""

    use: Required[Literal['daly']]
    mtbf: float | str
    write: float | str
    read: float | str
    size: int | str
    memory: float
    bandwidth: int | str
    global_each: int
    local_write: float | str
    local_read: float | str
    local_survives: float
    store: str | float | bool
    local_store: str | float | bool


AnySlowdown: TypeAlias = "Literal['spread', 'throughput'] | SlowdownSpread | SlowdownThroughput"


class SlowdownSpread(TypedDict, total=False):
    """tasks on several hosts, racks or rooms take longer"""

    use: Required[Literal['spread']]
    hosts: float
    levels: str | float | bool | Sequence[str | float | bool]
    tasks: str | float | bool | Sequence[str | float | bool]
    by: Literal['executable', 'user', 'group', 'queue']


class SlowdownThroughput(TypedDict, total=False):
    """run times by a table of throughputs, for each type and number of GPUs"""

    use: Required[Literal['throughput']]
    table: str | float | bool | Sequence[str | float | bool]
    reference: str | float | bool
    tasks: str | float | bool | Sequence[str | float | bool]
    by: Literal['executable', 'user', 'group', 'queue']


AnyWorkload: TypeAlias = "Literal['jobs'] | WorkloadJobs"


class WorkloadJobs(TypedDict, total=False):
    """a workload of a closed world: which jobs arrive, and how long its schedulers think about them"""

    use: Literal['jobs']
    name: str | float | bool
    arrivals: AnyArrivals | ArrivalsTable
    think_job: float | str
    think_task: float | str
    schedulers: int
    interarrival_scale: float
    blacklist: bool | Literal['yes', 'no', 'on', 'off']
    mold: AnyMold


AnyArrivals: TypeAlias = "Literal['table', 'uniform', 'exp_exp_exp', 'measured', 'mapreduce'] | ArrivalsTable | ArrivalsUniform | ArrivalsExpExpExp | ArrivalsMeasured | ArrivalsMapreduce"


class ArrivalsTable(TypedDict, total=False):
    """jobs from a table, a row for each"""

    use: Literal['table']
    file: str | float | bool
    workload: str | float | bool


class ArrivalsUniform(TypedDict, total=False):
    """equal jobs at equal gaps"""

    use: Required[Literal['uniform']]
    interarrival: float | str
    tasks: int
    activities: int
    duration: float | str
    cpus: float
    memory: float


class ArrivalsExpExpExp(TypedDict, total=False):
    """exponential gaps, numbers of tasks and durations"""

    use: Required[Literal['exp_exp_exp']]
    interarrival: float | str
    tasks: float
    duration: float | str
    cpus: float
    memory: float


#: jobs drawn from files of measured gaps, sizes, run times and amounts, or from exponentials
ArrivalsMeasured = TypedDict('ArrivalsMeasured', {
    'use': "Literal['measured']",
    'gaps': "str | float | bool",
    'sizes': "str | float | bool",
    'runs': "str | float | bool",
    'shapes': "str | float | bool",
    'class': "int",
    'shape_scale': "float",
    'tasks': "float",
    'duration': "float | str",
    'cpus': "float",
    'memory': "float",
    'most_cpus': "float",
    'most_memory': "float",
}, total=False)


class ArrivalsMapreduce(TypedDict, total=False):
    """MapReduce jobs, with configured workers and with activities for more of them"""

    use: Required[Literal['mapreduce']]
    interarrival: float | str
    workers: int | Sequence[int]
    activities: float
    duration: float | str
    cpus: float
    memory: float


AnyPrefill: TypeAlias = "Literal['even', 'cell_state', 'random_jobs'] | PrefillEven | PrefillCellState | PrefillRandomJobs"


class PrefillEven(TypedDict, total=False):
    """equal jobs that run to the end of the run"""

    use: Required[Literal['even']]
    cores: float
    share: float
    tasks: int
    cpus: float
    memory: float


#: jobs of a file, which ran at the beginning, up to a share of the cell's cpus
PrefillCellState = TypedDict('PrefillCellState', {
    'use': "Literal['cell_state']",
    'file': "str | float | bool",
    'share': "float",
    'class': "int",
    'time_unit': "float | str",
    'stop': "bool | Literal['yes', 'no', 'on', 'off']",
}, total=False)


class PrefillRandomJobs(TypedDict, total=False):
    """jobs with exponential sizes, up to a share of the cell's cpus"""

    use: Required[Literal['random_jobs']]
    share: float
    tasks: float
    cpus: float
    memory: float
    remaining: float | str


AnyNode: TypeAlias = "Literal['hosts'] | NodeHosts"


class NodeHosts(TypedDict, total=False):
    """hosts of a world that runs functions"""

    use: Literal['hosts']
    count: int
    cores: int
    memory: int | str


AnyApplication: TypeAlias = "Literal['function'] | ApplicationFunction"


class ApplicationFunction(TypedDict, total=False):
    """an application whose functions are invoked, and what its containers take"""

    use: Literal['function']
    name: str | float | bool
    share: float
    memory: int | str
    concurrency: int
    start: float | str


AnyInvocation: TypeAlias = "Literal['table', 'laws', 'azure2021', 'azure2019'] | InvocationTable | InvocationLaws | InvocationAzure2021 | InvocationAzure2019"


class InvocationTable(TypedDict, total=False):
    """invocations from a table, a row for each"""

    use: Required[Literal['table']]
    file: str | float | bool


#: invocations of one application: a law of gaps, a law of durations
InvocationLaws = TypedDict('InvocationLaws', {
    'use': "Literal['laws']",
    'application': "str | float | bool",
    'interval': "str | float | bool",
    'duration': "str | float | bool",
    'count': "int",
    'bundle': "int",
    'from': "float | str",
    'until': "float | str",
}, total=False)


#: the Azure Functions invocation trace of 2021
InvocationAzure2021 = TypedDict('InvocationAzure2021', {
    'use': "Literal['azure2021']",
    'file': "str | float | bool",
    'from': "float | str",
    'until': "float | str",
    'least': "float | str",
}, total=False)


#: the Azure Functions dataset of 2019: invocations by minute
InvocationAzure2019 = TypedDict('InvocationAzure2019', {
    'use': "Literal['azure2019']",
    'file': "str | float | bool",
    'durations': "str | float | bool",
    'memory': "str | float | bool",
    'spread': "Literal['drawn', 'even']",
    'memory_is': "Literal['average', 'pct50', 'pct99', 'pct100']",
    'share': "float",
    'least': "float | str",
    'begin': "float | str",
    'from': "float | str",
    'until': "float | str",
}, total=False)


AnyVmHost: TypeAlias = "Literal['hosts'] | VmHostHosts"


class VmHostHosts(TypedDict, total=False):
    """hosts of a cloud of virtual machines"""

    use: Literal['hosts']
    count: int
    cpus: int
    memory: int | str


AnyVm: TypeAlias = "Literal['machines'] | VmMachines"


class VmMachines(TypedDict, total=False):
    """equal virtual machines that are asked for"""

    use: Literal['machines']
    count: int
    arrival: float | str
    lifetime: float | str
    cpus: int
    memory: int | str
    load: float


AnyMigration: TypeAlias = "Literal['live'] | MigrationLive"


class MigrationLive(TypedDict, total=False):
    """a virtual machine goes to another host while it runs"""

    use: Literal['live']
    vm: int
    host: int
    at: float | str


AnyMigrator: TypeAlias = "Literal['thresholds'] | MigratorThresholds"


class MigratorThresholds(TypedDict, total=False):
    """migrations from hosts whose load is too high or too low"""

    use: Literal['thresholds']
    interval: float | str
    overload: float
    underload: float


AnyKeeper: TypeAlias = "Literal['histogram'] | KeeperHistogram"


class KeeperHistogram(TypedDict, total=False):
    """a histogram of each application's idle times: a container ends when idle, another is made at the
    head and kept until the tail"""

    use: Literal['histogram']
    bin: float | str
    range: float | str
    head: float
    tail: float
    margin: float
    variation: float
    beyond: float
    samples: int

"""What each shell has to read once. A script asks the program itself, so that it never grows old."""

from collections.abc import Mapping
from types import MappingProxyType

_BASH = """\
# bash completion of stovepipe.  For this shell: source <(stovepipe completion bash)
_stovepipe_completion() {
    local mode candidate
    COMPREPLY=()
    {
        IFS= read -r mode
        if [[ $mode == files ]]; then
            compopt -o default 2>/dev/null
        fi
        while IFS= read -r candidate; do
            COMPREPLY+=("$candidate")
        done
    } < <(
        _STOVEPIPE_COMPLETE=bash _STOVEPIPE_WORDBREAKS=$COMP_WORDBREAKS \\
            "$1" "${COMP_LINE:0:COMP_POINT}" 2>/dev/null </dev/null
    )
}
complete -F _stovepipe_completion stovepipe
"""

_ZSH = """\
#compdef stovepipe
# zsh completion of stovepipe.  For this shell: source <(stovepipe completion zsh)
_stovepipe() {
    local answer line
    local -a lines candidates
    answer=$(
        _STOVEPIPE_COMPLETE=zsh "${(Q)words[1]}" "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null </dev/null
    ) || return 1
    lines=("${(@f)answer}")
    if [[ $lines[1] == files ]]; then
        [[ $PREFIX == --*=* ]] && compset -P '*='
        _files
        return
    fi
    for line in "${(@)lines[2,-1]}"; do
        candidates+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}")
    done
    (( $#candidates )) && _describe -V stovepipe candidates
}
if [[ ${zsh_eval_context[-1]} == loadautofunc ]]; then
    _stovepipe "$@"
else
    compdef _stovepipe stovepipe
fi
"""

_FISH = """\
# fish completion of stovepipe.  For this shell: stovepipe completion fish | source
function __stovepipe_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l answer (env _STOVEPIPE_COMPLETE=fish $words[1] $words[2..-1] "$current" 2>/dev/null </dev/null)
    if test "$answer[1]" = files
        set -l before (string match -r -- '^--[^=]*=' "$current")
        for path in (__fish_complete_path (string replace -r -- '^--[^=]*=' '' "$current"))
            printf '%s%s\\n' "$before" $path
        end
    else
        printf '%s\\n' $answer[2..-1]
    end
end
complete -c stovepipe -f -k -a '(__stovepipe_complete)'
"""

SCRIPTS: Mapping[str, str] = MappingProxyType({"bash": _BASH, "zsh": _ZSH, "fish": _FISH})

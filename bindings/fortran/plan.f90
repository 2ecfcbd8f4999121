!> Transforms that are ready to run. Bodies are in plan_*.f90.
module shardfft_plan
  use, intrinsic :: iso_c_binding
  use shardfft_arrays
  use shardfft_c_plan
  use shardfft_c_runs
  use shardfft_comm, only: sf_comm
  use shardfft_layout, only: sf_layout
  use shardfft_operators, only: sf_operator
  use shardfft_options, only: sf_options
  use shardfft_plan_arrays, only: plan_arrays
  use shardfft_problem, only: sf_problem
  implicit none
  private
  public :: sf_loss, sf_plan, sf_step, sf_tune, sf_verdict

  !> What verify() found.
  type :: sf_verdict
    real(c_double) :: error_rel_l2 = 0  !< measured ||out - exact|| / ||exact||, estimated by random probes
    real(c_double) :: bound = 0         !< what it must not exceed
    logical :: ok = .false.
  end type
  !> What the last run lost, and how much of the network it took.
  type :: sf_loss
    real(c_double) :: bound = 0         !< of the relative L2 error against the exact transform
    real(c_double) :: encoded = 0       !< the part of it that codecs caused
    real(c_double) :: bits = 0          !< of a real number of the encoded exchanges; 0 if none was encoded
    real(c_double) :: bytes_before = 0, bytes_after = 0  !< of all encoded exchanges and ranks
    real(c_double) :: floor = 0         !< the part of the L2 error, absolute, that underflow may cause
  end type
  !> Time and traffic of one step of the last run, on this rank.
  type :: sf_step
    character(64) :: label = ''
    real(c_double) :: seconds = 0
    integer(c_int64_t) :: bytes_memory = 0, bytes_network = 0, bytes_shared = 0, bytes_link = 0, messages = 0
  end type

  !> Do not copy plans by assignment: both would be the same one.
  type, extends(plan_arrays) :: sf_plan
  contains
    procedure :: create
    procedure :: destroy
    procedure :: input
    procedure :: output
    procedure :: middle
    procedure :: input_bytes
    procedure :: output_bytes
    procedure :: workspace_bytes
    procedure :: forward
    procedure :: backward
    procedure :: adjoint
    procedure :: start
    procedure :: test
    procedure :: wait
    procedure :: apply
    procedure :: apply_physical
    procedure :: verify => verify_run
    procedure :: error_bound
    procedure :: loss
    procedure, private :: samples_int, samples_long
    generic :: exact_samples => samples_int, samples_long
    procedure :: hash_input
    procedure :: hash_output
    procedure :: describe
    procedure :: describe_json
    procedure :: steps
  end type

  interface
    !> Collective. `input`, `output`: words of layouts, beside what the options say
    module subroutine create(self, comm, problem, options, input, output, stat, errmsg)
      class(sf_plan), intent(inout) :: self
      type(sf_comm), intent(in) :: comm
      type(sf_problem), intent(in) :: problem
      type(sf_options), intent(in), optional :: options
      character(*), intent(in), optional :: input, output
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    !> Not collective. Arrays of the plan go with it.
    module subroutine destroy(self)
      class(sf_plan), intent(inout) :: self
    end subroutine
    !> Collective. Measures candidates and keeps the fastest as wisdom, where plans find it. `report`: a JSON object
    module subroutine sf_tune(comm, problem, options, report, stat, errmsg)
      type(sf_comm), intent(in) :: comm
      type(sf_problem), intent(in) :: problem
      type(sf_options), intent(in), optional :: options
      character(:), allocatable, intent(out), optional :: report
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    module type(sf_layout) function input(self)
      class(sf_plan), intent(in) :: self
    end function
    module type(sf_layout) function output(self)
      class(sf_plan), intent(in) :: self
    end function
    !> In which an operator sees elements.
    module type(sf_layout) function middle(self)
      class(sf_plan), intent(in) :: self
    end function
    !> Least length of this rank's arrays.
    module integer(c_int64_t) function input_bytes(self)
      class(sf_plan), intent(in) :: self
    end function
    module integer(c_int64_t) function output_bytes(self)
      class(sf_plan), intent(in) :: self
    end function
    module integer(c_int64_t) function workspace_bytes(self)
      class(sf_plan), intent(in) :: self
    end function

    !> Collective. Arrays of any type and number of axes are looked at: type, length, extents, gaps. `in` stays as it is
    !> unless the options in_place or destroy_input say otherwise. Without `out`: in place. So `in` has no intent: with
    !> intent(in) compilers keep old values in registers. `target` says that `wait` may write, too.
    module subroutine forward(self, in, out, factor, stat, errmsg)
      class(sf_plan), intent(in) :: self
      type(*), asynchronous, target :: in(..)
      type(*), intent(inout), asynchronous, target, optional :: out(..)
      real(c_double), intent(in), optional :: factor
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    !> Collective. From the output layout to the input layout.
    module subroutine backward(self, in, out, factor, stat, errmsg)
      class(sf_plan), intent(in) :: self
      type(*), asynchronous, target :: in(..)
      type(*), intent(inout), asynchronous, target, optional :: out(..)
      real(c_double), intent(in), optional :: factor
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    !> Collective. The adjoint of a run with this factor; `of`: its direction, 'forward' or 'backward'
    module subroutine adjoint(self, in, out, of, factor, stat, errmsg)
      class(sf_plan), intent(in) :: self
      type(*), asynchronous, target :: in(..)
      type(*), intent(inout), asynchronous, target, optional :: out(..)
      character(*), intent(in), optional :: of
      real(c_double), intent(in), optional :: factor
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    !> Collective. A run, split: start returns soon, test helps along, wait finishes. Pass variables, which live until
    !> then, no expressions. Declare both asynchronous, pointer or target, and leave them alone until then.
    module subroutine start(self, in, out, direction, factor, stat, errmsg)
      class(sf_plan), intent(in) :: self
      type(*), asynchronous, target :: in(..)
      type(*), intent(inout), asynchronous, target, optional :: out(..)
      character(*), intent(in), optional :: direction
      real(c_double), intent(in), optional :: factor
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    !> Whether all is done.
    module logical function test(self, stat, errmsg)
      class(sf_plan), intent(in) :: self
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end function
    module subroutine wait(self, stat, errmsg)
      class(sf_plan), intent(in) :: self
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    !> Collective. out = backward(f(forward(in))), of plans with the option apply = 'to_outputs'.
    module subroutine apply(self, in, out, f, stat, errmsg)
      class(sf_plan), intent(in) :: self
      type(*), asynchronous, target :: in(..)
      type(*), intent(inout), asynchronous, target :: out(..)
      procedure(sf_operator) :: f
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine
    !> Collective. out = forward(f(backward(in))), of plans with the option apply = 'to_inputs'.
    module subroutine apply_physical(self, in, out, f, stat, errmsg)
      class(sf_plan), intent(in) :: self
      type(*), asynchronous, target :: in(..)
      type(*), intent(inout), asynchronous, target :: out(..)
      procedure(sf_operator) :: f
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end subroutine

    !> Collective. Compares `out` with the exact transform of `in`, in O(N). A wrong result is no error: look at %ok.
    module type(sf_verdict) function verify_run(self, in, out, direction, factor, stat, errmsg)
      class(sf_plan), intent(in) :: self
      type(*), intent(in) :: in(..), out(..)
      character(*), intent(in), optional :: direction
      real(c_double), intent(in), optional :: factor
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end function
    !> Collective. What the last run lost at most, relative to the L2 norm of its result.
    module real(c_double) function error_bound(self, stat, errmsg)
      class(sf_plan), intent(in) :: self
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end function
    module type(sf_loss) function loss(self, stat, errmsg)
      class(sf_plan), intent(in) :: self
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end function
    !> Collective. Exact results at positions(axis, i), from 1, the same on all ranks; O(N) for each.
    module function samples_long(self, in, positions, direction, stat, errmsg) result(samples)
      class(sf_plan), intent(in) :: self
      type(*), intent(in) :: in(..)
      integer(c_int64_t), intent(in) :: positions(:, :)
      character(*), intent(in), optional :: direction
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      complex(c_double_complex) :: samples(size(positions, 2))
    end function
    module function samples_int(self, in, positions, direction, stat, errmsg) result(samples)
      class(sf_plan), intent(in) :: self
      type(*), intent(in) :: in(..)
      integer, intent(in) :: positions(:, :)
      character(*), intent(in), optional :: direction
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      complex(c_double_complex) :: samples(size(positions, 2))
    end function
    !> Collective. Keyed by position: equal for equal data in any layout, on any number of ranks, in every language.
    module integer(c_int64_t) function hash_input(self, in, stat, errmsg)
      class(sf_plan), intent(in) :: self
      type(*), intent(in) :: in(..)
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end function
    module integer(c_int64_t) function hash_output(self, out, stat, errmsg)
      class(sf_plan), intent(in) :: self
      type(*), intent(in) :: out(..)
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
    end function
    !> Sweeps, exchanges, memory, and where each choice came from; for people. It counts axes as C does.
    module function describe(self, stat, errmsg) result(text)
      class(sf_plan), intent(in) :: self
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      character(:), allocatable :: text
    end function
    module function describe_json(self, stat, errmsg) result(text)
      class(sf_plan), intent(in) :: self
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      character(:), allocatable :: text
    end function
    !> The last run, step by step, on this rank.
    module function steps(self, stat, errmsg) result(all)
      class(sf_plan), intent(in) :: self
      integer, intent(out), optional :: stat
      character(*), intent(inout), optional :: errmsg
      type(sf_step), allocatable :: all(:)
    end function
  end interface
end module
